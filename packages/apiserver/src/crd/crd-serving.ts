import { Buffer } from 'node:buffer';
import { parseExactJson, stringifyJson } from '@kubewright/apimachinery/internal';
import type { MutableCatalog } from '../registry/index.ts';
import { storagePrefix } from '../registry/storage-prefix.ts';
import { followStorage, type Storage, type StoredObject } from '../storage/index.ts';
import type { NamesInUse } from './accept-names.ts';
import type { SchemaTools } from './compile-version.ts';
import { customDefinitions } from './custom-definitions.ts';
import { type CrdNames, type CustomResourceDefinition, hasCondition } from './custom-resource-definition.ts';
import { type ConversionServices, webhookConverters } from './webhook-converter.ts';

const prefix = storagePrefix({ group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' });

/** Options for {@link CrdServing}. */
export interface CrdServingOptions {
  readonly storage: Storage;
  readonly catalog: MutableCatalog;
  readonly tools: SchemaTools & { readonly conversion: ConversionServices };
  /** Called with the storage prefix of a resource that is no longer served, to end its watches. */
  readonly onRemoved: (storagePrefix: string) => void;
  /** Called with the name of a CRD to re-evaluate: another CRD has released names that it may be waiting for. */
  readonly onNamesFreed?: ((name: string) => void) | undefined;
  /** Called after the catalog changed. */
  readonly onChanged?: (() => void) | undefined;
  /** Called when a stored CRD cannot be served. It was valid when written, so this is an internal error. */
  readonly onError: (error: unknown) => void;
}

interface Served {
  /**
   * The parts of the CRD that the definitions depend on. An update that leaves these parts unchanged does not rebuild
   * the definitions.
   */
  readonly fingerprint: string;
  readonly versions: readonly string[];
  readonly crd: CustomResourceDefinition;
}

/** Keeps the catalog in sync with the stored CRDs: serves the resources of a CRD as soon as the CRD is established. */
export class CrdServing implements Disposable {
  readonly #options: CrdServingOptions;
  readonly #served = new Map<string, Served>();
  /** The accepted names of each CRD. The names are taken even if the kind is not served. */
  readonly #granted = new Map<string, { readonly group: string; readonly names: CrdNames }>();
  /** CRDs with names that were not accepted. */
  readonly #waiting = new Map<string, CustomResourceDefinition>();
  #subscription: Disposable | undefined;

  constructor(options: CrdServingOptions) {
    this.#options = options;
  }

  /**
   * Serves the stored CRDs, then applies each change as soon as it becomes visible, in the same turn of the event loop.
   */
  async start(): Promise<void> {
    this.#subscription = await followStorage(this.#options.storage, {
      prefix: prefix,
      apply: ({ key, current }) => (current ? this.#set(current) : this.#remove(key)),
    });
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
  }

  /** Returns the names accepted for other CRDs of a CRD's group. */
  readonly namesInUse = ({ spec, metadata }: CustomResourceDefinition): NamesInUse => {
    const resources = new Set<string>();
    const kinds = new Set<string>();
    for (const [key, { group, names }] of this.#granted) {
      if (group !== spec.group || key === prefix + metadata.name) continue;
      for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (name) resources.add(name);
      for (const kind of [names.kind, names.listKind]) if (kind) kinds.add(kind);
    }
    return { resources, kinds };
  };

  #set(stored: StoredObject): void {
    // The CRD strategy validated it when it was written.
    const crd = parseExactJson(Buffer.from(stored.bytes).toString('utf8')) as CustomResourceDefinition;
    if (hasCondition(crd, 'NamesAccepted')) this.#waiting.delete(stored.key);
    else this.#waiting.set(stored.key, crd);
    const granted = crd.status?.acceptedNames;
    if (granted) this.#granted.set(stored.key, { group: crd.spec.group, names: granted });
    if (!hasCondition(crd, 'Established')) {
      this.#unserve(stored.key);
      return;
    }
    const { spec, status, metadata } = crd;
    const fingerprint = stringifyJson([spec, status?.acceptedNames, metadata.deletionTimestamp]);
    const previous = this.#served.get(stored.key);
    if (previous?.fingerprint === fingerprint) return;
    try {
      const definitions = customDefinitions(crd, {
        ...this.#options.tools,
        converterOf: webhookConverters(this.#options.tools.conversion),
      });
      for (const definition of definitions) this.#options.catalog.put(definition);
      const versions = definitions.map(({ version }) => version);
      this.#retire(previous, versions);
      this.#served.set(stored.key, { fingerprint, versions, crd });
      this.#options.onChanged?.();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #remove(key: string): void {
    const group = this.#granted.get(key)?.group;
    this.#granted.delete(key);
    this.#waiting.delete(key);
    this.#unserve(key);
    for (const { spec, metadata } of this.#waiting.values()) {
      if (spec.group === group) this.#options.onNamesFreed?.(metadata.name ?? '');
    }
  }

  #unserve(key: string): void {
    const previous = this.#served.get(key);
    if (!previous) return;
    this.#served.delete(key);
    this.#retire(previous, []);
    const { group, names } = previous.crd.spec;
    this.#options.onRemoved(`/registry/${group}/${names.plural}/`);
    this.#options.onChanged?.();
  }

  #retire(previous: Served | undefined, kept: readonly string[]): void {
    if (!previous) return;
    const { group, names } = previous.crd.spec;
    for (const version of previous.versions) {
      if (!kept.includes(version)) this.#options.catalog.remove(group, version, names.plural);
    }
  }
}
