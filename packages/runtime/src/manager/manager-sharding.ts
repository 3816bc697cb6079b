import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import type { Runnable } from '../runnable/runnable.ts';
import { ShardMembership, type ShardMembershipOptions } from '../sharding/shard-membership.ts';
import { sharded } from '../sharding/sharded.ts';
import { settledControllers } from './controller-defaults.ts';
import { ManagerError } from './manager-error.ts';
import type { ManagerOptions } from './manager-options.ts';

/** Identifies the replicas that share the keys of `sharded` controllers, and sets the times of their leases. */
export type ShardingOptions = Omit<ShardMembershipOptions, 'client' | 'clock' | 'random' | 'log'>;

/**
 * Returns the controllers of a manager and the runnables that sharding needs. The controllers have defaults applied,
 * and `sharded` controllers are limited to this replica's share of the keys.
 * @throws ManagerError (KW3007) if two controllers have the same name, a controller is `sharded` but `sharding` is missing, or
 * `sharding` is set but no controller is `sharded`.
 * @throws UnlistedKeysError (KW3041) for a `requestController` that does not list its keys.
 */
export function managedControllers(
  options: ManagerOptions,
  parts: Required<Pick<ShardMembershipOptions, 'client' | 'clock' | 'random' | 'log'>>,
): { readonly controllers: readonly ControllerDefinition[]; readonly runnables: readonly Runnable[] } {
  const { sharding } = options;
  const controllers = settledControllers(options.controllers ?? [], options.controllerDefaults);
  const wanted = controllers.filter((each) => each.sharded && !each.partition);
  if (wanted.length > 0 && !sharding) {
    throw new ManagerError({
      what: `cannot shard the keys of "${wanted[0]?.name}"`,
      why: 'the manager has no "sharding" option',
      remedy: 'pass sharding: { id: … } with the same id in every replica',
    });
  }
  if (!sharding) return { controllers, runnables: [] };
  if (wanted.length === 0) {
    throw new ManagerError({
      what: '"sharding" is set, but no controller is sharded',
      remedy: 'declare the controllers that replicas share with sharded: true',
    });
  }
  const shards = new ShardMembership({ ...sharding, ...parts });
  const share = (each: ControllerDefinition): ControllerDefinition =>
    wanted.includes(each) ? sharded(each, shards, typeof each.sharded === 'object' ? each.sharded : {}) : each;
  return { controllers: controllers.map(share), runnables: [shards] };
}
