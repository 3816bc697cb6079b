import { isDeepStrictEqual } from 'node:util';
import { formatObjectKey, isControlledBy, isDeleting, systemClock, systemRandom } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import {
  Cluster,
  type EventHandler,
  type IndexFunc,
  kindSource,
  type Logger,
  type Runnable,
  WorkQueue,
} from '@kubewright/runtime';
import { PodSet } from './api/v1/pod-set.ts';
import { Expectations } from './expectations.ts';
import { isActive, isReady, manageReplicas } from './manage-replicas.ts';

const workers = 2;

/** Returns the key of the PodSet that controls a pod. */
const ownerKey: IndexFunc<Pod> = ({ namespace, ownerReferences }) =>
  ownerReferences
    .filter(({ kind, controller }) => controller && kind === PodSet.kind)
    .map(({ name }) => formatObjectKey({ namespace, name }));

/** The objects that event handlers and workers share. */
interface Parts {
  readonly cluster: Cluster;
  readonly client: KubernetesClient;
  readonly queue: WorkQueue;
  readonly expectations: Expectations;
  readonly log: Logger;
}

/**
 * Keeps the desired number of pods for every PodSet, without a controller of the runtime: two informers, a queue and workers.
 *
 * @rbac groups=sets.example.com resources=podsets verbs=get;list;watch
 * @rbac groups=sets.example.com resources=podsets/status verbs=patch
 * @rbac groups=sets.example.com resources=podsets/finalizers verbs=update
 * @rbac groups="" resources=pods verbs=get;list;watch;create;delete
 */
export const replicaSet: Runnable = {
  name: 'replica-set',
  async run(signal, { client, log }) {
    // The informers. Writes go through `client`, not `cluster.client`, which would record them in this cache.
    const cluster = new Cluster({ name: 'replica-set', client, log });
    const queue = new WorkQueue({ clock: systemClock });
    const parts = { cluster, client, queue, expectations: new Expectations(systemClock), log };
    const context = { enqueue: () => undefined, primary: undefined, primaryUid: () => undefined };
    const start = { signal, clock: systemClock, random: systemRandom, log };
    const sources = [
      kindSource(cluster, { kind: PodSet, handler: ({ object }) => queue.add(formatObjectKey(object.key)) }),
      kindSource(cluster, { kind: Pod, handler: podEvents(parts), indexes: { ownerKey } }),
    ].map((source) => source.start(context, start));
    const running = cluster.run(signal);
    signal.addEventListener('abort', () => void queue.shutDown(), { once: true });
    await Promise.all(sources);
    await Promise.all(Array.from({ length: workers }, () => work(parts)));
    await running;
  },
};

/** Settles expectations before it adds the key, so that the sync finds them settled. */
function podEvents({ queue, expectations }: Parts): EventHandler<Pod> {
  return ({ type, object }) => {
    for (const key of ownerKey(object)) {
      if (type !== 'update' || object.deletionTimestamp !== undefined) expectations.observed(key, object.name);
      queue.add(key);
    }
  };
}

/** Takes keys from the queue until it is shut down. */
async function work(parts: Parts): Promise<void> {
  const { queue, log } = parts;
  for (let item = await queue.get(); item; item = await queue.get()) {
    try {
      await syncPodSet(item.key, parts);
      queue.forget(item.key);
    } catch (error) {
      log.error('sync failed', { key: item.key, error });
      queue.addRateLimited(item.key);
    } finally {
      queue.done(item.key);
    }
  }
}

/** Adjusts the pods of one set to the desired number, and writes its status. */
async function syncPodSet(key: string, { cluster, client, expectations }: Parts): Promise<void> {
  const [namespace = '', name = ''] = key.split('/');
  const set = cluster.cache.lister(PodSet).get({ namespace, name });
  if (!set) return expectations.forget(key);
  // Checked before the pods are read: an event in between must not make old pods look current.
  const isCurrent = expectations.satisfied(key);
  const owned = cluster.cache.lister(Pod).list({ namespace, index: { name: 'ownerKey', value: key } });
  const pods = owned.filter((pod) => isControlledBy(pod, set) && isActive(pod));
  const control = client.resource(Pod);
  const managing = isCurrent && !isDeleting(set) && manageReplicas(set, { pods, expectations, control });
  const status = { replicas: pods.length, readyReplicas: pods.filter(isReady).length };
  const writing =
    !isDeepStrictEqual(status, set.status) &&
    client.resource(PodSet).status.patch({ namespace, name }, { type: 'merge', body: { status } });
  // Waits for both, so that neither failure hides the other.
  const results = await Promise.allSettled([managing, writing]);
  const errors = results.flatMap((each) => ('reason' in each ? [each.reason] : []));
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, errors.join('; '));
}
