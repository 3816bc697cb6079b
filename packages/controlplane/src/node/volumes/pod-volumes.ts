import { KubewrightError } from '@kubewright/apimachinery';
import type { Container, Pod } from '@kubewright/apimachinery/core/v1';
import type { VolumeMount } from '../driver.ts';

/** Sets up and maintains the volumes of one pod. */
export interface PodVolumes {
  /**
   * Sets up every volume.
   *
   * @throws VolumeError that names the volume and what is missing; retry later.
   */
  prepare(pod: Pod): Promise<void>;
  /** Rewrites the volumes whose objects may have changed. Returns when to refresh again if nothing changes. */
  refresh(pod: Pod): Promise<number | undefined>;
  /** Returns a container's mounts. @throws VolumeError for an impossible mount. */
  mountsOf(container: Container, env: ReadonlyMap<string, string>): Promise<readonly VolumeMount[]>;
  /** Returns environment variables that come with the volumes, such as KUBECONFIG. */
  environmentOf(container: Container): ReadonlyMap<string, string>;
  /** Returns the kubelet's message for a volume that exceeds its limit; absent if no volume can have a limit. */
  excess?(pod: Pod): Promise<string | undefined>;
  /** Removes all volumes. Secret content is overwritten first. */
  remove(): Promise<void>;
}

/** Thrown if a volume cannot be set up, or cannot be mounted as requested. */
export class VolumeError extends KubewrightError {
  override readonly name = 'VolumeError';
  readonly code = 'KW5213';
  readonly volume: string;

  constructor(volume: string, message: string, options?: { readonly cause?: unknown }) {
    super({ what: message }, options);
    this.volume = volume;
  }
}

/** Thrown if a volume cannot be set up yet because its claim is not ready. The node retries often. */
export class UnprocessedVolumeError extends VolumeError {}
