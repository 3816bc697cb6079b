import { KubewrightError } from '@kubewright/apimachinery';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import type { Partition, ShardedOptions } from '../controller/definition/partition.ts';
import { EventLoopTurn } from '../controller/sources/event-loop-turn.ts';
import { initialListPriority } from '../handler/event-priority.ts';
import { logEvents } from '../log/log-events.ts';
import type { Source } from '../source/source.ts';

/** Thrown for a controller that would lose events when its keys move. */
class UnlistedKeysError extends KubewrightError {
  override readonly name = 'UnlistedKeysError';
  /** Fix the program; the cluster is not at fault. */
  readonly code = 'KW3041';

  constructor(controller: string) {
    super({
      what: `cannot shard the requestController "${controller}"`,
      why: 'a replica that takes over a key has not received the earlier events for that key',
      remedy: 'pass { keys: () => … } to list all keys, or declare the controller with controller()',
    });
  }
}

/**
 * Returns a controller that works only on its replica's share of the keys. All replicas run the controller, without a
 * leader. Each replica caches all objects, because only the work is shared, not the watches.
 * @throws {@link UnlistedKeysError} (KW3041) for a `requestController` without `keys`.
 */
export function sharded(
  definition: ControllerDefinition,
  partition: Partition,
  options: ShardedOptions = {},
): ControllerDefinition {
  const { keys } = options;
  if (definition.run.level === 'request' && !keys) throw new UnlistedKeysError(definition.name);
  const shared = { ...definition, needLeaderElection: false, partition };
  if (!keys) return shared;
  return { ...shared, sources: [...(definition.sources ?? []), keysSource(partition, keys)] };
}

/** Enqueues keys that this replica newly owns, because their events may have been delivered long ago. */
function keysSource(partition: Partition, list: NonNullable<ShardedOptions['keys']>): Source {
  return {
    name: 'sharded keys',
    async start({ enqueue }, { signal, clock, log }) {
      const turn = new EventLoopTurn(clock);
      const feed = async (): Promise<void> => {
        for (const key of await list()) {
          if (signal.aborted) return;
          if (partition.owns(key)) enqueue(key, { priority: initialListPriority });
          const pause = turn.pause();
          if (pause) await pause;
        }
      };
      const changed = (): void =>
        void feed().catch((error: unknown) =>
          log.error('cannot list the keys of a sharded controller', { event: logEvents.keysListFailed, error }),
        );
      const subscription = partition.subscribe(changed);
      signal.addEventListener('abort', () => subscription[Symbol.dispose](), { once: true });
      await feed();
    },
  };
}
