import { availableParallelism } from 'node:os';
import { type ControllerDefinition, controller, type DesiredState, generationChanged } from '@kubewright/runtime';
import { PlaybookError, runPlaybook } from './run-playbook.ts';
import { variablesFor } from './variables.ts';
import type { PlaybookWatch, Played } from './watches.ts';

/**
 * Returns a controller that runs a playbook for each object of a kind: it applies the playbook's desired objects, and
 * deletes objects that are no longer desired.
 */
export function playbookController({ for: kind, playbook, owns }: PlaybookWatch): ControllerDefinition {
  /**
   * The RBAC generator does not read the kinds in watches.yaml, so their permissions are listed here.
   *
   * @rbac groups=playbooks.example.com resources=greetings verbs=get;list;watch
   * @rbac groups=playbooks.example.com resources=greetings/status verbs=patch
   * @rbac groups=playbooks.example.com resources=greetings/finalizers verbs=update
   * @rbac groups=apps resources=deployments verbs=get;list;watch;create;patch;delete
   * @rbac groups="" resources=configmaps verbs=get;list;watch;create;patch;delete
   */
  return controller<Played>({
    for: kind,
    owns,
    // Status changes do not start a run.
    predicates: [generationChanged()],
    // As many playbooks run at a time as in operator-sdk: one per CPU.
    maxConcurrentReconciles: availableParallelism(),
    async reconcile(object, { signal }): Promise<DesiredState<Played>> {
      try {
        const { children, counts } = await runPlaybook(playbook, { variables: variablesFor(object), signal });
        const success = { reason: 'Successful', message: 'Last reconciliation succeeded' };
        const conditions = [{ type: 'Successful', status: 'True', ...success }] as const;
        return { children, status: { ansibleResult: counts }, conditions };
      } catch (error) {
        if (!(error instanceof PlaybookError)) throw error;
        const failure = { reason: 'Failed', message: error.message };
        return {
          // The result has no `children`, so the children of the last run stay.
          status: error.counts ? { ansibleResult: error.counts } : {},
          conditions: [
            { type: 'Failure', status: 'True', ...failure },
            { type: 'Ready', status: 'False', ...failure },
          ],
          requeueAfterMs: 30_000,
        };
      }
    },
  });
}
