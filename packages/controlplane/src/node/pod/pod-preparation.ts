import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { PodSandbox } from '../driver.ts';
import { type PodVolumes, VolumeError } from '../volumes/pod-volumes.ts';
import { BackOff } from './back-off.ts';
import type { PodHost } from './pod-host.ts';

/** Pauses between tries to make a pod's surroundings, in milliseconds: the kubelet's for volumes. */
const retryLimits = { initialMs: 500, maxMs: 122_000 };

/** How often the size of volumes with a limit is looked at, in milliseconds: as often as a kubelet looks. */
const usageEveryMs = 10_000;

/** Makes what a pod's containers share, in the background, until it succeeds; keeps its volumes fresh afterwards. */
export class PodPreparation {
  sandbox: PodSandbox | undefined;
  volumes: PodVolumes | undefined;
  isReady = false;
  /** Why the pod's volumes have become too large. */
  excess: string | undefined;
  readonly #host: PodHost;
  readonly #makeVolumes: (pod: Pod, sandbox: PodSandbox) => PodVolumes;
  readonly #changed: () => void;
  readonly #pauses = new BackOff(retryLimits);
  #task: Promise<void> | undefined;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  #refreshAtMs = Number.POSITIVE_INFINITY;
  #usageAtMs = Number.POSITIVE_INFINITY;

  constructor(parts: {
    readonly host: PodHost;
    readonly makeVolumes: (pod: Pod, sandbox: PodSandbox) => PodVolumes;
    readonly changed: () => void;
  }) {
    this.#host = parts.host;
    this.#makeVolumes = parts.makeVolumes;
    this.#changed = parts.changed;
  }

  /** When {@link proceed} wants to be called though nothing changes. */
  get wakeAtMs(): number {
    if (this.#task) return Number.POSITIVE_INFINITY;
    return this.isReady ? Math.min(this.#refreshAtMs, this.#usageAtMs) : this.#retryAtMs;
  }

  /** Begins what is to be done now, if anything. */
  proceed(pod: Pod): void {
    if (this.#task || this.#host.clock.now() < this.wakeAtMs) return;
    this.#task = this.#nextStep(pod).finally(() => {
      this.#task = undefined;
      this.#changed();
    });
  }

  /** Objects that the pod refers to have changed: looks again at the next {@link proceed}. */
  invalidate(): void {
    this.#retryAtMs = Number.NEGATIVE_INFINITY;
    if (this.isReady) this.#refreshAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Undoes all of it. */
  async removeVolumes(): Promise<void> {
    await this.#task;
    await this.volumes?.remove();
    this.volumes = undefined;
    this.isReady = false;
  }

  #nextStep(pod: Pod): Promise<void> {
    if (!this.isReady) return this.#prepare(pod);
    return this.#host.clock.now() < this.#refreshAtMs ? this.#measure(pod) : this.#refresh(pod);
  }

  async #measure(pod: Pod): Promise<void> {
    this.excess ??= await this.volumes?.excess?.(pod);
    this.#usageAtMs = this.excess === undefined ? this.#host.clock.now() + usageEveryMs : Number.POSITIVE_INFINITY;
  }

  async #prepare(pod: Pod): Promise<void> {
    const { uid = '', namespace = '', name = '' } = pod.metadata;
    try {
      const hostIP = pod.spec?.hostNetwork ? this.#host.node.ip : undefined;
      this.sandbox ??= await this.#host.driver.preparePod({ uid, namespace, name, pod, hostIP });
      this.volumes ??= this.#makeVolumes(pod, this.sandbox);
      await this.volumes.prepare(pod);
      this.isReady = true;
      const hasLimits = pod.spec?.volumes?.some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined);
      if (hasLimits && this.volumes.excess) this.#usageAtMs = this.#host.clock.now() + usageEveryMs;
      await this.#refresh(pod);
    } catch (error) {
      const now = this.#host.clock.now();
      this.#pauses.next(now, now);
      this.#retryAtMs = now + this.#pauses.pauseMs;
      this.#tell(pod, error);
    }
  }

  async #refresh(pod: Pod): Promise<void> {
    const now = this.#host.clock.now();
    try {
      this.#refreshAtMs = (await this.volumes?.refresh(pod)) ?? Number.POSITIVE_INFINITY;
    } catch (error) {
      this.#refreshAtMs = now + 60_000;
      this.#tell(pod, error);
    }
  }

  #tell(pod: Pod, error: unknown): void {
    this.#host.noteFault(error);
    const text = error instanceof Error ? error.message : String(error);
    const isVolume = error instanceof VolumeError;
    const note = isVolume
      ? `MountVolume.SetUp failed for volume "${error.volume}" : ${text}`
      : `Failed to create pod sandbox: ${text}`;
    this.#host.event(pod, { type: 'Warning', reason: isVolume ? 'FailedMount' : 'FailedCreatePodSandBox', note });
  }
}
