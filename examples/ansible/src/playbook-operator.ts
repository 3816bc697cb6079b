import { isControlledBy, type Kind } from '@kubewright/apimachinery';
import {
  type ControllerDefinition,
  controller,
  enqueueForOwner,
  generationChanged,
  objectMatches,
  or,
  watch,
} from '@kubewright/runtime';
import { ownerProxy } from './owner-proxy.ts';
import { runPlaybook } from './run-playbook.ts';
import { variablesFile, variablesFor } from './variables.ts';
import type { PlaybookWatch, Played } from './watches.ts';

/** Returns a controller that runs a playbook for each object of a kind, and deletes the objects that it no longer applies. */
export function playbookController({ for: kind, playbook, owns }: PlaybookWatch): ControllerDefinition {
  // Objects without a generation, such as ConfigMaps, have no status that changes by itself.
  const predicates = [
    or(
      generationChanged(),
      objectMatches(({ generation }) => generation === undefined),
    ),
  ];
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
    predicates: [generationChanged()],
    watches: owns.map((each) => watch(each, enqueueForOwner(kind), { predicates })),
    async reconcile(object, ctx) {
      await using proxy = await ownerProxy(ctx, object);
      const variables = variablesFile(variablesFor(object));
      const { messages, ...ansibleResult } = await runPlaybook(playbook, {
        variables,
        server: proxy.url,
        signal: ctx.signal,
      });
      const failure = { reason: 'Failed', message: messages.join('\n') };
      if (messages.length > 0) {
        return {
          status: { ansibleResult },
          conditions: [
            { type: 'Running', status: 'False', reason: 'Running', message: 'Running reconciliation' },
            { type: 'Failure', status: 'True', ...failure },
            { type: 'Successful', status: 'False', reason: '', message: '' },
            { type: 'Ready', status: 'False', ...failure },
          ],
          requeueAfterMs: 30_000,
        };
      }
      const { namespace } = object.metadata;
      for (const each of owns) {
        const isTouched = (name: string) => proxy.touched.has(`${pathOf(each, namespace)}/${name}`);
        for (const child of await ctx.list(each, { namespace }))
          if (isControlledBy(child, object) && !isTouched(child.metadata.name)) await ctx.delete(child);
      }
      return {
        status: { ansibleResult },
        conditions: [
          { type: 'Running', status: 'True', reason: 'Successful', message: 'Awaiting next reconciliation' },
          { type: 'Failure', status: 'False', reason: '', message: '' },
          { type: 'Successful', status: 'True', reason: 'Successful', message: 'Last reconciliation succeeded' },
        ],
      };
    },
  });
}

/** Returns the path of the objects of a kind in a namespace. */
function pathOf({ group, version, plural }: Kind<unknown>, namespace: string): string {
  return `/${group ? `apis/${group}` : 'api'}/${version}/namespaces/${namespace}/${plural}`;
}
