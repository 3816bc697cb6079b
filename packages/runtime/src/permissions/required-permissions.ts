import type { Kind } from '@kubewright/apimachinery';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import type { Permission } from './permission.ts';

/**
 * What controllers of this shape need, by their declarations: the primary kind is read, its status and finalizers are written,
 * children are made, changed and deleted, what is watched or cached is read. What functions call beside it with the client
 * is not known from declarations; `used` shows that.
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
    // Children block the deletion of their owner, which admission asks this permission for.
    if (owns.length > 0) need(primary, ['update'], 'finalizers');
  }
  if (controllers.length > 0 || options.leaderElection)
    need({ group: 'events.k8s.io', plural: 'events' }, ['create', 'patch']);
  const leases = { group: 'coordination.k8s.io', plural: 'leases' };
  if (options.leaderElection) need(leases, ['get', 'create', 'update']);
  if (options.sharding) need(leases, ['get', 'list', 'create', 'update', 'delete']);
  return [...found.values()];
}
