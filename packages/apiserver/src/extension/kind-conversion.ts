import { apiVersionOf, type KubernetesObject, parseApiVersion } from '@kubewright/apimachinery';
import type { SchemaNode } from '@kubewright/schema/internal';
import { restoreConverted } from '../crd/converted-object.ts';
import type { ConverterParts } from '../crd/custom-definitions.ts';
import { dropNulls } from '../crd/drop-nulls.ts';
import type { ObjectConverter } from '../registry/resource-definition.ts';
import type { Draft } from '../registry/strategy.ts';
import { conversionFault } from '../webhooks/webhook-fault.ts';

/**
 * The conversions between the versions of a kind, which all go through one version, the hub. Created by `converter` of
 * `@kubewright/runtime`.
 */
export interface KindConversion {
  readonly group: string;
  readonly kind: string;
  readonly hub: string;
  /**
   * Conversions to and from the hub, by version. Inputs are whole objects; results need no `apiVersion`, `kind` or `metadata`.
   */
  readonly spokes: ReadonlyMap<
    string,
    {
      toHub(object: KubernetesObject): object | Promise<object>;
      fromHub(object: KubernetesObject): object | Promise<object>;
    }
  >;
}

/** Converts objects inside the server, and checks the results like those of a conversion webhook. */
export class KindConverter implements ObjectConverter {
  readonly #conversion: KindConversion;
  readonly #parts: ConverterParts;

  constructor(conversion: KindConversion, parts: ConverterParts) {
    this.#conversion = conversion;
    this.#parts = parts;
  }

  get storageApiVersion(): string {
    return this.#parts.storageApiVersion;
  }

  async convert(object: Draft, apiVersion: string): Promise<Draft> {
    if (object.apiVersion === apiVersion) return object;
    const target = this.#parts.versions.get(apiVersion);
    if (target === undefined) throw conversionFault(`request to convert CR to an invalid group/version: ${apiVersion}`);
    const hub = await this.#step(object, { version: parseApiVersion(object.apiVersion).version, way: 'toHub' });
    const converted = await this.#step(hub, { version: parseApiVersion(apiVersion).version, way: 'fromHub' });
    const restored = restoreConverted(object, converted, apiVersion);
    if ('fault' in restored)
      throw conversionFault(`conversion for ${object.apiVersion}, Kind=${object.kind} ${restored.fault}`);
    const pruned = target.schema.prune(restored.object).value as Draft; // pruning an object returns an object
    dropNulls(target.schema.source, pruned);
    return pruned;
  }

  schemaOf(apiVersion: string): SchemaNode | undefined {
    return this.#parts.versions.get(apiVersion)?.schema.node;
  }

  /** Prunes and defaults a stored object with its version's schema. */
  fromStored(object: Draft): Draft {
    const own = this.#parts.versions.get(object.apiVersion)?.schema;
    return own === undefined ? object : (own.applyDefaults(own.prune(object).value) as Draft);
  }

  async #step(
    object: Draft,
    { version, way }: { readonly version: string; readonly way: 'toHub' | 'fromHub' },
  ): Promise<Draft> {
    const { group, kind, hub, spokes } = this.#conversion;
    if (version === hub) return object;
    const steps = spokes.get(version);
    if (steps === undefined) throw conversionFault(`no conversion is declared for ${kind} ${group}/${version}`);
    const given = structuredClone(object); // the function may keep or modify its input
    const made = (await steps[way](given as unknown as KubernetesObject)) as Partial<Draft>;
    const { labels, annotations } = made.metadata ?? object.metadata;
    const metadata = { ...object.metadata, labels, annotations } as Draft['metadata'];
    return { ...made, apiVersion: apiVersionOf({ group, version: way === 'toHub' ? hub : version }), kind, metadata };
  }
}
