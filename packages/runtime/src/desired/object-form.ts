import { isDeleting, type KubernetesObject, type Stored } from '@kubewright/apimachinery';
import type { LoopContext } from '../controller/context.ts';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import type { ReconcileOutcome } from '../controller/reconcile.ts';
import type { DesiredState } from './desired-state.ts';
import { Realization } from './realization.ts';
import { StatusShape } from './status-shape.ts';

/** Reconciles one object, in whichever form the controller is written. */
export type ObjectForm = (object: Stored<KubernetesObject>, context: LoopContext) => Promise<ReconcileOutcome>;

/** Adapts a controller's function to the object form, whether it acts, returns the desired state, or does both. */
export function objectForm(definition: ControllerDefinition): ObjectForm {
  const { run, primary, owns, fieldManager = definition.name } = definition;
  const shape = new StatusShape(primary);
  return async (object, context) => {
    if (run.level === 'request' || !primary) throw new TypeError(`${definition.name} reconciles requests, not objects`);
    const realization = new Realization({ context, object, kind: primary, owns, shape, fieldManager });
    if (run.desired) {
      // Deleting an object also deletes its children, so recreating them would work against that.
      return isDeleting(object) ? undefined : realization.ofFunction(run.desired);
    }
    const outcome = await run.reconcile(object, context);
    if (!isState(outcome)) return outcome;
    const { children: _children, ...rest } = outcome;
    return realization.run(isDeleting(object) ? rest : outcome);
  };
}

function isState(outcome: ReconcileOutcome | DesiredState): outcome is DesiredState {
  return outcome !== undefined && ('children' in outcome || 'status' in outcome || 'conditions' in outcome);
}
