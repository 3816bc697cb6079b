import { isDeleting, type KubernetesObject, type Stored } from '@kubewright/apimachinery';
import type { LoopContext } from '../controller/context.ts';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import type { ReconcileOutcome } from '../controller/reconcile.ts';
import type { DesiredState } from './desired-state.ts';
import { Realization } from './realization.ts';
import { StatusShape } from './status-shape.ts';

/** Reconciles one object, in whichever form the controller was written. */
export type ObjectForm = (object: Stored<KubernetesObject>, context: LoopContext) => Promise<ReconcileOutcome>;

/** Makes the form of a controller's objects: a function that acts, one that returns what should be, or one that does both. */
export function objectForm(definition: ControllerDefinition): ObjectForm {
  const { run, primary, owns, fieldManager = definition.name } = definition;
  const shape = new StatusShape(primary);
  return async (object, context) => {
    if (run.level === 'request' || !primary) throw new TypeError(`${definition.name} reconciles requests, not objects`);
    const realization = new Realization({ context, object, kind: primary, owns, shape, fieldManager });
    if (run.desired) {
      // What goes takes its children with it; to make them anew would be to work against that.
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
