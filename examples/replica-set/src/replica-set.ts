import { type Clock, type ObjectKey, systemClock, systemRandom } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import {
  Cluster,
  type EventHandler,
  handlerFuncs,
  type IndexFunc,
  kindSource,
  type Logger,
  type ObjectView,
  type Runnable,
  WorkQueue,
} from '@kubewright/runtime';
import { PodSet } from './api/v1/pod-set.ts';
import { Expectations } from './expectations.ts';
import { isReady, manageReplicas } from './manage-replicas.ts';

const workers = 2;
const ownerUid: IndexFunc<Pod> = (pod) => ownerOf(pod).map(({ uid }) => uid);

/**
 * Keeps the pods of every PodSet, without a controller of the runtime: two informers, a queue and workers.
 *
 * @rbac groups=sets.example.com resources=podsets verbs=get;list;watch
 * @rbac groups=sets.example.com resources=podsets/status verbs=patch
 * @rbac groups=sets.example.com resources=podsets/finalizers verbs=update
 * @rbac groups="" resources=pods verbs=get;list;watch;create;delete
 */
export function replicaSet(log: Logger, clock: Clock = systemClock): Runnable {
  return {
    name: 'replica-set',
    async run(signal, { client }) {
      // The informers. Writes go through `client`, not `cluster.client`, which would record them in this cache.
      const cluster = new Cluster({ name: 'replica-set', client, log });
      const queue = new WorkQueue({ clock });
      const expectations = new Expectations(clock);
      const context = {
        enqueue: (key: ObjectKey) => queue.add(keyOf(key)),
        primary: undefined,
        primaryUid: () => undefined,
      };
      const start = { signal, clock, random: systemRandom, log };
      const sources = [
        kindSource(cluster, { kind: PodSet, handler: ({ object }, { enqueue }) => enqueue(object.key) }),
        kindSource(cluster, { kind: Pod, handler: podEvents(expectations), indexes: { ownerUid } }),
      ].map((source) => source.start(context, start));

      const running = cluster.run(signal);
      signal.addEventListener('abort', () => void queue.shutDown(), { once: true });
      await Promise.all(sources);
      await Promise.all(Array.from({ length: workers }, () => work(queue, { sync, log })));
      await running;

      async function sync(key: string): Promise<void> {
        await syncPodSet(key, { cluster, client, expectations });
      }
    },
  };
}

/** Takes keys from the queue until it is shut down. */
async function work(
  queue: WorkQueue,
  { sync, log }: { readonly sync: (key: string) => Promise<void>; readonly log: Logger },
): Promise<void> {
  for (let item = await queue.get(); item; item = await queue.get()) {
    try {
      await sync(item.key);
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
async function syncPodSet(
  key: string,
  {
    cluster,
    client,
    expectations,
  }: {
    readonly cluster: Cluster;
    readonly client: KubernetesClient;
    readonly expectations: Expectations;
  },
): Promise<void> {
  const [namespace = '', name = ''] = key.split('/');
  const set = cluster.cache.lister(PodSet).get({ namespace, name });
  if (!set) return expectations.forget(key);
  // Checked before the pods are read: an event in between must not make old pods look current.
  const isCurrent = expectations.satisfied(key);
  const owned = cluster.cache.lister(Pod).list({ namespace, index: { name: 'ownerUid', value: set.metadata.uid } });
  const pods = owned.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
  );
  try {
    if (!isCurrent || set.metadata.deletionTimestamp !== undefined) return;
    const control = {
      create: (pod: Pod) => client.resource(Pod).create(pod),
      delete: ({ metadata: { name, uid } }: { readonly metadata: { readonly name: string; readonly uid: string } }) =>
        client.resource(Pod).delete({ namespace, name }, { preconditions: { uid } }),
    };
    await manageReplicas(set, { pods, expectations, control });
  } finally {
    const status = { replicas: pods.length, readyReplicas: pods.filter(isReady).length };
    const { replicas, readyReplicas } = set.status ?? {};
    if (replicas !== status.replicas || readyReplicas !== status.readyReplicas)
      await client.resource(PodSet).status.patch({ namespace, name }, { type: 'merge', body: { status } });
  }
}

/** Settles expectations before it adds the key, so that the sync finds them settled. */
function podEvents(expectations: Expectations): EventHandler<Pod> {
  const each = (pod: ObjectView<Pod>, then: (key: ObjectKey) => void): void => {
    for (const { name } of ownerOf(pod)) then({ namespace: pod.namespace, name });
  };
  const deleted = (pod: ObjectView<Pod>): void =>
    each(pod, (key) => expectations.deletionObserved(keyOf(key), pod.uid));
  return handlerFuncs<Pod>({
    create({ object }, { enqueue }) {
      if (object.deletionTimestamp !== undefined) deleted(object);
      else each(object, (key) => expectations.creationObserved(keyOf(key)));
      each(object, enqueue);
    },
    update({ object }, { enqueue }) {
      if (object.deletionTimestamp !== undefined) deleted(object);
      each(object, enqueue);
    },
    delete({ object }, { enqueue }) {
      deleted(object);
      each(object, enqueue);
    },
  });
}

/** Returns the controlling owner of a pod, if it is a PodSet. */
function ownerOf({ ownerReferences }: ObjectView<Pod>) {
  return ownerReferences.filter(({ kind, controller }) => controller && kind === PodSet.kind);
}

function keyOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
