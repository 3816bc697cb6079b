import type { Container, Pod } from '@kubewright/apimachinery/core/v1';
import type { VolumeMount } from '../driver.ts';
import type { PodHost } from '../pod/pod-host.ts';
import { boundVolume, claimNameOf } from './claim-volume.ts';
import type { PodVolumes } from './pod-volumes.ts';
import { hasContent, volumeContent } from './volume-content.ts';

/** Volumes of simulated pods: the objects that they refer to must exist, but nothing is written. */
export class CheckedPodVolumes implements PodVolumes {
  readonly #host: PodHost;
  readonly #podIP: string;

  constructor(host: PodHost, podIP: string) {
    this.#host = host;
    this.#podIP = podIP;
  }

  async prepare(pod: Pod): Promise<void> {
    const { objects, node, settings } = this.#host;
    const place = { podIP: this.#podIP, hostIP: node.ip };
    for (const volume of pod.spec?.volumes ?? []) {
      if (claimNameOf(pod, volume) !== undefined) await boundVolume(volume, { pod, objects });
      if (!hasContent(volume)) continue;
      // No token is requested, because nothing could read it.
      const token = (): Promise<string> => Promise.resolve('');
      await volumeContent(volume, { pod, objects, place, allocatable: settings.allocatable, token });
    }
  }

  refresh(): Promise<number | undefined> {
    return Promise.resolve(undefined);
  }

  mountsOf(container: Container): Promise<readonly VolumeMount[]> {
    return Promise.resolve(
      (container.volumeMounts ?? []).map(({ mountPath, name, readOnly = false }) => ({
        mountPath,
        hostPath: name,
        readOnly,
      })),
    );
  }

  environmentOf(): ReadonlyMap<string, string> {
    return new Map();
  }

  remove(): Promise<void> {
    return Promise.resolve();
  }
}
