import { join } from 'node:path';
import type { Container, Pod, Volume } from '@kubewright/apimachinery/core/v1';
import type { VolumeMount } from '../driver.ts';
import { expandVariables } from '../env/expand.ts';
import type { PodHost } from '../pod/pod-host.ts';
import { boundVolume, claimNameOf } from '../volumes/claim-volume.ts';
import { PodTokens } from '../volumes/pod-tokens.ts';
import { type PodVolumes, VolumeError } from '../volumes/pod-volumes.ts';
import { hasContent, volumeContent } from '../volumes/volume-content.ts';
import type { MemoryFiles } from './memory-files.ts';

/** Volumes in memory. A persistent volume keeps its files when its pod is deleted. */
export class MemoryPodVolumes implements PodVolumes {
  readonly #host: PodHost;
  readonly #files: MemoryFiles;
  readonly #podIP: string;
  readonly #tokens: PodTokens;
  readonly #paths = new Map<string, { readonly path: string; readonly readOnly: boolean }>();
  #folder = '';

  constructor(options: { readonly host: PodHost; readonly files: MemoryFiles; readonly podIP: string }) {
    this.#host = options.host;
    this.#files = options.files;
    this.#podIP = options.podIP;
    this.#tokens = new PodTokens(options.host);
  }

  async prepare(pod: Pod): Promise<void> {
    this.#folder = `/pods/${pod.metadata.uid}`;
    for (const volume of pod.spec?.volumes ?? []) {
      const readOnly = hasContent(volume) || volume.persistentVolumeClaim?.readOnly === true;
      this.#paths.set(volume.name, { path: await this.#make(volume, pod), readOnly });
    }
  }

  async refresh(pod: Pod): Promise<number | undefined> {
    for (const volume of pod.spec?.volumes ?? []) if (hasContent(volume)) await this.#make(volume, pod);
    return this.#tokens.refreshAtMs;
  }

  async mountsOf(container: Container, env: ReadonlyMap<string, string>): Promise<readonly VolumeMount[]> {
    return (container.volumeMounts ?? []).map(({ name, mountPath, subPath, subPathExpr, readOnly = false }) => {
      const volume = this.#paths.get(name);
      if (!volume) throw new VolumeError(name, `the pod has no volume "${name}"`);
      const below = subPathExpr ? expandVariables(subPathExpr, (variable) => env.get(variable)) : (subPath ?? '');
      return { mountPath, hostPath: join(volume.path, below), readOnly: readOnly || volume.readOnly };
    });
  }

  environmentOf(): ReadonlyMap<string, string> {
    return new Map();
  }

  async remove(): Promise<void> {
    this.#files.remove(this.#folder);
  }

  async #make(volume: Volume, pod: Pod): Promise<string> {
    const { objects, node, settings } = this.#host;
    if (claimNameOf(pod, volume) !== undefined) {
      return `/volumes/${(await boundVolume(volume, { pod, objects })).metadata.name}`;
    }
    const path = `${this.#folder}/volumes/${volume.name}`;
    if (volume.emptyDir) return path;
    if (!hasContent(volume)) {
      const what = 'use emptyDir, configMap, secret, downwardAPI, projected or persistentVolumeClaim';
      throw new VolumeError(volume.name, `volumes of this type are not supported on this node; ${what}`);
    }
    const place = { podIP: this.#podIP, hostIP: node.ip };
    const token = (projection: Parameters<PodTokens['get']>[1]): Promise<string> => this.#tokens.get(pod, projection);
    const content = await volumeContent(volume, { pod, objects, place, allocatable: settings.allocatable, token });
    this.#files.remove(path);
    for (const [name, { bytes }] of content) this.#files.write(join(path, name), Buffer.from(bytes).toString('utf8'));
    return path;
  }
}
