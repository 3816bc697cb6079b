import { Buffer } from 'node:buffer';
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  Pod,
  ProjectedVolumeSource,
  Volume,
  VolumeProjection,
} from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { type PodPlace, podFieldValue } from '../env/field-value.ts';
import { resourceFieldValue } from '../env/resource-value.ts';
import type { PodObjects } from '../pod/pod-host.ts';
import type { VolumeFile } from './atomic-folder.ts';
import { VolumeError } from './pod-volumes.ts';

/** Sources of volume content. */
export interface ContentSources {
  readonly pod: Pod;
  readonly place: PodPlace;
  readonly objects: PodObjects;
  readonly allocatable: Readonly<Record<string, string>>;
  /**
   * False if the containers have neither a common user nor a common group. Tokens then have the volume's mode, as with a kubelet,
   * so that every container can read them. @defaultValue true
   */
  readonly hasOwner?: boolean;
  /** Returns the current token for a projection. */
  token(projection: { readonly audience?: string; readonly expirationSeconds?: number }): Promise<string>;
}

const defaultMode = 0o644;

/** True for volumes whose files are generated from objects. */
export function hasContent(volume: Volume): boolean {
  return Boolean(volume.configMap ?? volume.secret ?? volume.downwardAPI ?? volume.projected);
}

/**
 * Collects the files of a configMap, secret, downwardAPI or projected volume.
 *
 * @throws VolumeError if an object or key is missing and not optional.
 */
export async function volumeContent(volume: Volume, sources: ContentSources): Promise<ReadonlyMap<string, VolumeFile>> {
  const collector = new Collector(volume.name, sources);
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap) collector.configMap(configMap, configMap.defaultMode ?? defaultMode);
  if (secret) {
    const { secretName, ...rest } = secret;
    collector.secret({ ...rest, ...defined({ name: secretName }) }, secret.defaultMode ?? defaultMode);
  }
  if (downwardAPI) collector.downward(downwardAPI.items ?? [], downwardAPI.defaultMode ?? defaultMode);
  if (projected) await collector.projected(projected);
  return collector.files;
}

interface ObjectSource {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

class Collector {
  readonly files = new Map<string, VolumeFile>();
  readonly #volume: string;
  readonly #sources: ContentSources;

  constructor(volume: string, sources: ContentSources) {
    this.#volume = volume;
    this.#sources = sources;
  }

  configMap(source: ObjectSource, mode: number): void {
    const { objects, pod } = this.#sources;
    const found = objects.configMap(pod.metadata.namespace ?? '', source.name ?? '');
    if (!found) {
      this.#missing(source, `configmap "${source.name}" not found`);
      return;
    }
    const data = new Map<string, Uint8Array>();
    for (const [key, text] of Object.entries(found.data ?? {})) data.set(key, Buffer.from(text));
    for (const [key, text] of Object.entries(found.binaryData ?? {})) data.set(key, Buffer.from(text, 'base64'));
    this.#keys(data, { source, mode, what: 'configmap' });
  }

  secret(source: ObjectSource, mode: number): void {
    const { objects, pod } = this.#sources;
    const found = objects.secret(pod.metadata.namespace ?? '', source.name ?? '');
    if (!found) {
      this.#missing(source, `secret "${source.name}" not found`);
      return;
    }
    const data = new Map(Object.entries(found.data ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64')]));
    // Modes apply as given, as with a kubelet: the folder of the volume keeps other users out.
    this.#keys(data, { source, mode, what: 'secret' });
  }

  downward(items: readonly DownwardAPIVolumeFile[], mode: number): void {
    const { pod, place, allocatable } = this.#sources;
    for (const { path, fieldRef, resourceFieldRef, mode: own } of items) {
      const text = fieldRef
        ? podFieldValue(pod, fieldRef.fieldPath, place)
        : resourceFieldRef && resourceFieldValue(pod, resourceFieldRef, { allocatable });
      if (text === undefined) this.#fail(`unsupported field "${fieldRef?.fieldPath ?? resourceFieldRef?.resource}"`);
      this.files.set(path, { bytes: Buffer.from(text ?? ''), mode: own ?? mode });
    }
  }

  async projected({ sources = [], defaultMode: mode = defaultMode }: ProjectedVolumeSource): Promise<void> {
    for (const source of sources) await this.#projection(source, mode);
  }

  async #projection(source: VolumeProjection, mode: number): Promise<void> {
    if (source.configMap) this.configMap(source.configMap, mode);
    else if (source.secret) this.secret(source.secret, mode);
    else if (source.downwardAPI) this.downward(source.downwardAPI.items ?? [], mode);
    else if (source.serviceAccountToken) {
      const token = await this.#sources.token(source.serviceAccountToken);
      const tokenMode = this.#sources.hasOwner === false ? mode : 0o600;
      this.files.set(source.serviceAccountToken.path, { bytes: Buffer.from(token), mode: tokenMode });
    } else this.#fail(`projected volume source ${Object.keys(source).join()} is not supported on this node`);
  }

  #keys(
    data: ReadonlyMap<string, Uint8Array>,
    options: { readonly source: ObjectSource; readonly mode: number; readonly what: string },
  ): void {
    const { source, mode, what } = options;
    if (!source.items) {
      for (const [key, bytes] of data) this.files.set(key, { bytes, mode });
      return;
    }
    for (const item of source.items) {
      const bytes = data.get(item.key);
      if (bytes) this.files.set(item.path, { bytes, mode: item.mode ?? mode });
      else this.#missing(source, `${what} references non-existent ${what} key: ${item.key}`);
    }
  }

  #missing(source: ObjectSource, message: string): void {
    if (!source.optional) this.#fail(message);
  }

  #fail(message: string): never {
    throw new VolumeError(this.#volume, message);
  }
}
