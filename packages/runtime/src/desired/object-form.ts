import { isDeleting, type Kind, type KubernetesObject, type Stored } from '@kubewright/apimachinery';
import type { LoopContext } from '../reconcile/context.ts';
import type { Observed } from '../reconcile/observed-children.ts';
import type { ReconcileContext, ReconcileOutcome } from '../reconcile/reconcile.ts';
import { DesiredReconciler } from './desired-reconciler.ts';
import type { DesiredState } from './desired-state.ts';
import { StatusShape } from './status-shape.ts';

/** Operations on one object, independent of how the controller is written. */
export interface ObjectForm {
  reconcile(object: Stored<KubernetesObject>, context: LoopContext): Promise<ReconcileOutcome>;
  /**
   * Applies the state that a finalizer returned. Unlike a reconcile, it applies children although the object is being
   * deleted.
   */
  applyFinal(object: Stored<KubernetesObject>, context: LoopContext, state: DesiredState): Promise<ReconcileOutcome>;
}

/** The function of an object controller. */
export type ObjectRun = { readonly level: 'object' } & (
  | {
      readonly desired?: undefined;
      readonly reconcile: (
        object: Stored<KubernetesObject>,
        context: ReconcileContext<KubernetesObject>,
      ) => Promise<ReconcileOutcome | DesiredState>;
    }
  | { readonly desired: (object: Stored<KubernetesObject>, observed: Observed) => DesiredState }
);

/** The parts of a controller that reconcile objects. */
export interface ObjectFormOptions {
  readonly run: ObjectRun;
  readonly primary: Kind<KubernetesObject>;
  readonly owns: readonly Kind<KubernetesObject>[];
  /** Field manager of the controller's applies. */
  readonly fieldManager: string;
}

/**
 * Adapts a controller's function to the object form; the function may make changes, return the desired state, or both.
 */
export function objectForm({ run, primary, owns, fieldManager }: ObjectFormOptions): ObjectForm {
  const shape = new StatusShape(primary);
  const reconcilerOf = (object: Stored<KubernetesObject>, context: LoopContext): DesiredReconciler =>
    new DesiredReconciler({ context, object, kind: primary, owns, shape, fieldManager });
  const reconcile: ObjectForm['reconcile'] = async (object, context) => {
    if (run.desired) {
      // The children of a deleted object are deleted too, so do not recreate them.
      return isDeleting(object) ? undefined : reconcilerOf(object, context).ofFunction(run.desired);
    }
    const outcome = await run.reconcile(object, context);
    if (!isState(outcome)) return outcome;
    const { children: _children, ...rest } = outcome;
    return reconcilerOf(object, context).ofState(isDeleting(object) ? rest : outcome);
  };
  return { reconcile, applyFinal: (object, context, state) => reconcilerOf(object, context).ofState(state) };
}

function isState(outcome: ReconcileOutcome | DesiredState): outcome is DesiredState {
  return outcome !== undefined && ('children' in outcome || 'status' in outcome || 'conditions' in outcome);
}
