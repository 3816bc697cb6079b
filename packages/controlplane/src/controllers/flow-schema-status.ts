import { FlowSchema, PriorityLevelConfiguration } from '@kubewright/apimachinery/flowcontrol/v1';
import { formatTime } from '@kubewright/apimachinery/internal';
import { controller, enqueueMapped, watch } from '@kubewright/runtime';
import type { BuiltInController } from './built-in-controller.ts';

const fieldManager = 'api-priority-and-fairness-config-consumer-v1';

/**
 * Reports in each FlowSchema's `Dangling` condition whether its priority level is missing. Mirrors the status writes of
 * API priority and fairness (1.36). Priority and fairness itself is not implemented.
 */
export function flowSchemaStatus(): BuiltInController {
  /** The names of the flow schemas that use each priority level. */
  const users = new Map<string, Set<string>>();
  return {
    account: 'flow-schema-status',
    actsAsServer: true,
    definition: controller({
      name: 'flow-schema-status',
      for: FlowSchema,
      watches: [
        watch(
          PriorityLevelConfiguration,
          enqueueMapped(({ name }) => [...(users.get(name) ?? [])].map((schema) => ({ name: schema }))),
        ),
      ],
      async reconcile({ metadata, spec, status }, ctx) {
        const level = spec?.priorityLevelConfiguration.name ?? '';
        users.set(level, (users.get(level) ?? new Set()).add(metadata.name));
        const exists = ctx.cache.lister(PriorityLevelConfiguration).get({ name: level }) !== undefined;
        const wanted = dangling(level, exists);
        const now = status?.conditions?.find(({ type }) => type === 'Dangling');
        if (now?.status === wanted.status && now.reason === wanted.reason && now.message === wanted.message) return;
        const condition = { ...wanted, lastTransitionTime: formatTime(ctx.clock.now()) };
        const schemas = ctx.client.resource(FlowSchema);
        const configuration = {
          apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
          kind: 'FlowSchema',
          metadata: { name: metadata.name },
          status: { conditions: [condition] },
        };
        await schemas.status.apply(configuration, { fieldManager, force: true, signal: ctx.signal });
      },
    }),
  };
}

/** Returns the condition with upstream's reasons and messages. */
function dangling(level: string, exists: boolean) {
  const message = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return exists
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${message} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${message} but there is no such object` };
}
