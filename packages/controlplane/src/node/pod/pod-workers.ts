import { setImmediate } from 'node:timers'; // seam: see its use
import { isDeleting, type ObjectKey } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { MemoryPodVolumes } from '../inproc/memory-pod-volumes.ts';
import { CheckedPodVolumes } from '../volumes/checked-pod-volumes.ts';
import { LocalPodVolumes } from '../volumes/local-pod-volumes.ts';
import { VolumeUsers } from '../volumes/volume-users.ts';
import type { WatchedObjects } from '../watched-objects/watched-objects.ts';
import { hostPortConflict } from './host-ports.ts';
import type { PodHost } from './pod-host.ts';
import { PodWorker, type SyncResult } from './pod-worker.ts';

/** Options for {@link PodWorkers}. */
export interface PodWorkersOptions {
  readonly host: PodHost;
  /** The objects that the pods refer to. */
  readonly watched: WatchedObjects;
  /** Minimum time for which a pod being deleted stays in the API, in milliseconds. */
  readonly removalDelayMs: number;
}

/** Maximum number of event loop turns to wait for a pod whose containers start immediately. */
const maxTurns = 6;

/** The workers of a node's pods, one per UID, from a pod's first sync until it is removed. */
export class PodWorkers {
  readonly #options: PodWorkersOptions;
  readonly #workers = new Map<string, PodWorker>();
  /** Time at which each pod's deletion was noticed. */
  readonly #deletions = new Map<string, number>();
  readonly #volumeUsers: VolumeUsers;

  constructor(options: PodWorkersOptions) {
    this.#options = options;
    this.#volumeUsers = options.host.settings.volumeUsers ?? new VolumeUsers();
  }

  get(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  all(): readonly PodWorker[] {
    return [...this.#workers.values()];
  }

  /** Syncs a pod with its worker, which is created if needed. */
  async sync(pod: Pod): Promise<{ readonly worker: PodWorker; readonly result: SyncResult }> {
    const { watched, host } = this.#options;
    const uid = pod.metadata.uid ?? '';
    // A finished pod no longer needs the objects it refers to. For other pods, read all these objects before the worker
    // uses them.
    if (this.#workers.get(uid)?.isOver) watched.unregisterPod(uid);
    else await watched.registerPod(pod);
    let worker = this.#workers.get(uid);
    if (!worker) {
      worker = this.#create(pod);
      this.#workers.set(uid, worker);
    }
    if (isDeleting(pod) && !this.#deletions.has(uid)) this.#deletions.set(uid, host.clock.now());
    return { worker, result: await this.#settled(worker, pod) };
  }

  /** Ends pods that have this name but another uid: they no longer exist in the API, even if their containers still run. */
  async endOthers({ namespace, name }: ObjectKey, uid: string | undefined): Promise<void> {
    for (const worker of this.#workers.values()) {
      const { pod } = worker;
      if (worker.uid === uid || pod.metadata.name !== name || pod.metadata.namespace !== namespace) continue;
      worker.orphan();
      if (worker.sync(pod).removable) await this.remove(worker);
    }
  }

  /** Returns the time until a pod being deleted may be removed from the API, in milliseconds. */
  untilRemovalMs({ metadata }: Pod): number {
    const nowMs = this.#options.host.clock.now();
    const noticedMs = this.#deletions.get(metadata.uid ?? '') ?? nowMs;
    return noticedMs + this.#options.removalDelayMs - nowMs;
  }

  /** Frees the resources of a pod and drops its worker. */
  async remove(worker: PodWorker): Promise<void> {
    await worker.remove();
    this.#options.watched.unregisterPod(worker.uid);
    this.#workers.delete(worker.uid);
    this.#deletions.delete(worker.uid);
  }

  /** Stops all containers within `withinMs`; the pods stay in the API unchanged. */
  async shutDown(withinMs: number): Promise<void> {
    await Promise.all(this.all().map((worker) => worker.shutDown(withinMs)));
  }

  /**
   * Syncs a pod. If the driver starts containers immediately, a new pod is synced until it runs. Otherwise, thousands
   * of pods would each write three statuses within milliseconds.
   */
  async #settled(worker: PodWorker, pod: Pod): Promise<SyncResult> {
    let result = worker.sync(pod);
    if (!this.#options.host.driver.startsAtOnce || worker.written) return result;
    for (let turn = 0; turn < maxTurns && result.status?.phase === 'Pending'; turn++) {
      // seam: lets the startup steps proceed; adds no delay.
      await new Promise((resolve) => setImmediate(resolve));
      result = worker.sync(pod);
    }
    return result;
  }

  #create(pod: Pod): PodWorker {
    const { host } = this.#options;
    return new PodWorker(pod, {
      host,
      admit: () => hostPortConflict(pod, this.#activePods(pod)),
      makeVolumes: (_pod, { folder, podIP }) => {
        const { files } = host.driver;
        if (files) return new MemoryPodVolumes({ host, files, podIP });
        if (folder === undefined) return new CheckedPodVolumes(host, podIP);
        return new LocalPodVolumes({ host, folder, podIP, users: this.#volumeUsers });
      },
    });
  }

  #activePods(except: Pod): readonly Pod[] {
    return this.all()
      .filter((worker) => worker.uid !== except.metadata.uid && !worker.isOver)
      .map(({ pod }) => pod);
  }
}
