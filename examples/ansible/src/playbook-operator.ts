import { type ControllerDefinition, controller, type DesiredState, generationChanged } from '@kubewright/runtime';
import { runPlaybook } from './run-playbook.ts';
import { variablesFor } from './variables.ts';
import type { PlaybookWatch, Played } from './watches.ts';

/**
 * Returns a controller that runs a playbook for each object of a kind: it applies the objects that the playbook wants, and deletes
 * those that it no longer wants.
 */
export function playbookController({ for: kind, playbook, owns }: PlaybookWatch): ControllerDefinition {
  /**
   * The kinds are in watches.yaml, so their permissions are listed here.
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
    // A change of the status needs no run.
    predicates: [generationChanged()],
    async reconcile(object, { signal }): Promise<DesiredState<Played>> {
      const result = await runPlaybook(playbook, { variables: variablesFor(object), signal });
      const { messages, children, ...ansibleResult } = result;
      const status = { ansibleResult };
      if (messages.length === 0) {
        const success = { reason: 'Successful', message: 'Last reconciliation succeeded' };
        return { children, status, conditions: [{ type: 'Successful', status: 'True', ...success }] };
      }
      const failure = { reason: 'Failed', message: messages.join('\n') };
      return {
        // The result has no `children`, so those of the last run stay.
        status,
        conditions: [
          { type: 'Failure', status: 'True', ...failure },
          { type: 'Ready', status: 'False', ...failure },
        ],
        requeueAfterMs: 30_000,
      };
    },
  });
}
