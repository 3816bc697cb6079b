import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { PodSandbox, PodSandboxRequest } from '../driver.ts';
import { type PodVolumes, UnprocessedVolumeError, VolumeError } from '../volumes/pod-volumes.ts';
import { BackOff } from './back-off.ts';
import type { PodHost } from './pod-host.ts';

/** Backoff between attempts to set up a pod, in milliseconds, as in the kubelet for volumes. */
const retryLimits = { initialMs: 500, maxMs: 122_000 };

/** Longest delay before an unbound claim is read again, in milliseconds. */
const longestClaimPauseMs = 1_000;

/** Interval between size checks of volumes with a limit, in milliseconds, as in the kubelet. */
const usageEveryMs = 10_000;

/** Sets up the resources shared by a pod's containers in the background, with retries, and refreshes its volumes afterwards. */
export class PodPreparation {
  sandbox: PodSandbox | undefined;
  volumes: PodVolumes | undefined;
  isReady = false;
  /** Message about a volume that exceeds its size limit; undefined if no volume does. */
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

  /** Time at which {@link proceed} must be called even if nothing changes. */
  get wakeAtMs(): number {
    if (this.#task) return Number.POSITIVE_INFINITY;
    return this.isReady ? Math.min(this.#refreshAtMs, this.#usageAtMs) : this.#retryAtMs;
  }

  /** Starts the next step if one is due. */
  proceed(pod: Pod): void {
    if (this.#task || this.#host.clock.now() < this.wakeAtMs) return;
    this.#task = this.#nextStep(pod).finally(() => {
      this.#task = undefined;
      this.#changed();
    });
  }

  /** Forces the next {@link proceed} to check again; called when objects that the pod refers to have changed. */
  invalidate(): void {
    this.#retryAtMs = Number.NEGATIVE_INFINITY;
    if (this.isReady) this.#refreshAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Removes the pod's volumes. */
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
      this.sandbox ??= await this.#makeSandbox(pod, { uid, namespace, name, pod, hostIP });
      this.volumes ??= this.#makeVolumes(pod, this.sandbox);
      await this.volumes.prepare(pod);
      this.isReady = true;
      const hasLimits = pod.spec?.volumes?.some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined);
      if (hasLimits && this.volumes.excess) this.#usageAtMs = this.#host.clock.now() + usageEveryMs;
      await this.#refresh(pod);
    } catch (error) {
      const now = this.#host.clock.now();
      this.#pauses.next(now, now);
      const isPending = error instanceof UnprocessedVolumeError;
      this.#retryAtMs = now + (isPending ? Math.min(this.#pauses.pauseMs, longestClaimPauseMs) : this.#pauses.pauseMs);
      this.#recordFailure(pod, error);
    }
  }

  async #makeSandbox(pod: Pod, request: PodSandboxRequest): Promise<PodSandbox> {
    const { driver } = this.#host;
    const sandbox = await driver.preparePod(request);
    const unenforced = driver.unenforced?.(pod) ?? [];
    if (unenforced.length > 0) {
      const note = `Not enforced by this node: ${unenforced.join(', ')}`;
      this.#host.event(pod, { type: 'Warning', reason: 'NotEnforced', note });
    }
    const { hostAddress } = sandbox;
    if (!hostAddress) return sandbox;
    const { ip, ports, failed } = hostAddress;
    const list = ports.join(', ');
    const note = `This machine reaches ${ports.length === 1 ? `port ${list}` : `ports ${list}`} of the pod at ${ip}`;
    if (ports.length > 0) this.#host.event(pod, { reason: 'HostAddress', note });
    for (const { port, why } of failed) {
      const text = `This machine cannot reach port ${port} of the pod: ${why}; use kubectl port-forward`;
      this.#host.event(pod, { reason: 'HostAddress', note: text });
    }
    return sandbox;
  }

  async #refresh(pod: Pod): Promise<void> {
    const now = this.#host.clock.now();
    try {
      this.#refreshAtMs = (await this.volumes?.refresh(pod)) ?? Number.POSITIVE_INFINITY;
    } catch (error) {
      this.#refreshAtMs = now + 60_000;
      this.#recordFailure(pod, error);
    }
  }

  #recordFailure(pod: Pod, error: unknown): void {
    this.#host.noteFault(error);
    const text = error instanceof Error ? error.message : String(error);
    const isVolume = error instanceof VolumeError;
    const note = isVolume ? mountNote(error) : `Failed to create pod sandbox: ${text}`;
    this.#host.event(pod, { type: 'Warning', reason: isVolume ? 'FailedMount' : 'FailedCreatePodSandBox', note });
  }
}

/** Returns the kubelet's message for a volume that cannot be mounted. */
function mountNote(error: VolumeError): string {
  const { volume, message } = error;
  if (!(error instanceof UnprocessedVolumeError)) return `MountVolume.SetUp failed for volume "${volume}" : ${message}`;
  const lists = `unmounted volumes=[${volume}], unattached volumes=[], failed to process volumes=[${volume}]`;
  return `Unable to attach or mount volumes: ${lists}: ${message}`;
}
