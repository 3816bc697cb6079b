import type { Container, Pod } from '@kubewright/apimachinery/core/v1';
import type { VolumeMount } from '../driver.ts';

/** Prepares and keeps the volumes of one pod. */
export interface PodVolumes {
  /**
   * Makes every volume ready.
   *
   * @throws VolumeError that names the volume and what is missing; try again later.
   */
  prepare(pod: Pod): Promise<void>;
  /** Writes anew what comes from objects that may have changed; answers when to look again though nothing changes. */
  refresh(pod: Pod): Promise<number | undefined>;
  /** What a container sees. @throws VolumeError for a mount that cannot be. */
  mountsOf(container: Container, env: ReadonlyMap<string, string>): Promise<readonly VolumeMount[]>;
  /** Environment that comes with the volumes, such as KUBECONFIG. */
  environmentOf(container: Container): ReadonlyMap<string, string>;
  /** Says which volume has grown over its limit, in the kubelet's words; absent where nothing has a limit. */
  excess?(pod: Pod): Promise<string | undefined>;
  /** Removes all of it; what was secret is overwritten first. */
  remove(): Promise<void>;
}

/** A volume cannot be made ready, or cannot be mounted as asked. */
export class VolumeError extends Error {
  readonly code = 'KW5213';
  readonly volume: string;

  constructor(volume: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'VolumeError';
    this.volume = volume;
  }
}
