import type { Kind } from '@kubewright/apimachinery';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import type { Permission } from './permission.ts';

/**
 * Returns the permissions that the controllers' declarations require: read the primary kind, write its status and
 * finalizers, create, change and delete children, read all watched or cached kinds. Declarations do not show which
 * other calls user functions make; `used` does.
 */
export function requiredPermissions(
  controllers: readonly ControllerDefinition[],
  options: { readonly leaderElection?: boolean; readonly sharding?: boolean } = {},
): readonly Permission[] {
  const found = new Map<string, Permission>();
  const need = (
    kind: Pick<Kind<unknown>, 'group' | 'plural'>,
    verbs: readonly string[],
    subresource?: string,
  ): void => {
    const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`;
    for (const verb of verbs) found.set(`${verb} ${resource} ${kind.group}`, { group: kind.group, resource, verb });
  };
  const read = ['get', 'list', 'watch'];
  for (const { primary, owns, watches, caches = [], finalizers } of controllers) {
    for (const { kind } of watches) need(kind, read);
    for (const each of caches) need(typeof each.kind === 'string' ? (each as Kind<unknown>) : each.kind, read);
    for (const kind of owns) need(kind, [...read, 'create', 'patch', 'delete']);
    if (!primary) continue;
    need(primary, ['patch'], 'status');
    if (Object.keys(finalizers).length > 0) need(primary, ['patch']);
    // Children block the deletion of their owner, and admission requires this permission to set `blockOwnerDeletion`.
    if (owns.length > 0) need(primary, ['update'], 'finalizers');
  }
  if (controllers.length > 0 || options.leaderElection)
    need({ group: 'events.k8s.io', plural: 'events' }, ['create', 'patch']);
  const leases = { group: 'coordination.k8s.io', plural: 'leases' };
  if (options.leaderElection) need(leases, ['get', 'create', 'update']);
  if (options.sharding) need(leases, ['get', 'list', 'create', 'update', 'delete']);
  return [...found.values()];
}
