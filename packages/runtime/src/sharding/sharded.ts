import type { ControllerDefinition } from '../controller/controller-definition.ts';
import type { Partition } from '../controller/partition.ts';

/**
 * Makes a controller that works on its replica's share of the keys only. All replicas run it; none needs to lead. Each of
 * them caches all objects: what is shared is the work, not the watching.
 */
export function sharded(definition: ControllerDefinition, partition: Partition): ControllerDefinition {
  return { ...definition, needLeaderElection: false, partition };
}
