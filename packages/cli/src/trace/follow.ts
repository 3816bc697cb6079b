import { type Clock, type KubernetesObject, type Stored, sleep } from '@kubewright/apimachinery';
import { Event } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { changesOf } from './changes.ts';
import { FollowedWorkload } from './followed-workload.ts';
import type { Hop } from './hops.ts';
import { isReady } from './readiness.ts';
import type { TraceTarget } from './target.ts';

/** The time by which watches and events of other objects can lag behind the workload's last status, in milliseconds. */
const lagMs = 500;

/** Options for {@link follow}. */
export interface FollowOptions {
  readonly target: TraceTarget;
  readonly namespace: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onHop: (hop: Hop) => void;
  /** Called when a watch failed and will be retried. */
  readonly onRetry: (error: unknown) => void;
}

/**
 * Reports each hop of a workload as the watches report it, until the workload is ready. The workload need not exist
 * yet.
 *
 * @throws the signal's reason when it is aborted, and errors that retries do not fix
 */
export async function follow(client: KubernetesClient, options: FollowOptions): Promise<void> {
  const { target, namespace, signal, clock, onHop, onRetry } = options;
  const { name, kinds } = target;
  const [root, ...below] = kinds;
  const workload = new FollowedWorkload({ kind: root.kind, name });
  const now = (): string => new Date(clock.now()).toISOString();
  const stop = new AbortController();
  const watching = { namespace, clock, onRetry, signal: AbortSignal.any([signal, stop.signal]) };
  const isRoot = ({ kind, metadata }: Stored<KubernetesObject>): boolean =>
    kind === root.kind && metadata.name === name;

  const watches = kinds.map(async (kind) => {
    for await (const change of changesOf(client.resource(kind), watching)) {
      workload.onObject(change, now()).forEach(onHop);
      if (change.type !== 'DELETED' && isRoot(change.object) && isReady(change.object)) return;
    }
  });
  const events = async (): Promise<void> => {
    for await (const change of changesOf(client.resource(Event), watching)) {
      workload.onEvent(change, now()).forEach(onHop);
    }
  };
  const all = [...watches, events()];
  try {
    // Only the watch of the workload itself ends without an error.
    await Promise.race(all);
    await sleep(clock, { ms: lagMs, signal });
    for (const kind of below) {
      const { items } = await client.resource(kind).list({ namespace, signal });
      for (const object of items) workload.onObject({ type: 'MODIFIED', object }, now()).forEach(onHop);
    }
  } finally {
    stop.abort();
    await Promise.allSettled(all);
  }
}
