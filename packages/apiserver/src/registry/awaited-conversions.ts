import { apiVersionOf } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import { applyTypeOf, type KindType } from '../apply/apply-type.ts';
import type { Ownership } from '../apply/ownership.ts';
import type { ObjectConverter, ResourceDefinition } from './resource-definition.ts';
import type { Draft } from './strategy.ts';

/** Maximum number of conversions that one computation may request. A computation needs only a few for each version in use. */
const maxConversions = 100;

/**
 * Runs a synchronous computation that needs asynchronous version conversions. The computation restarts whenever a requested
 * conversion completes, until it requests no more, so it must have no side effects before it returns.
 */
export class AwaitedConversions {
  readonly #definition: ResourceDefinition;
  readonly #converter: ObjectConverter;
  readonly #types = new Map<string, KindType | undefined>();

  constructor(definition: ResourceDefinition, converter: ObjectConverter) {
    this.#definition = definition;
    this.#converter = converter;
  }

  async run<T>(compute: (otherVersion: NonNullable<Ownership['otherVersion']>) => T): Promise<T> {
    const own = apiVersionOf(this.#definition);
    const known = new Map<string, unknown>();
    const convert = (object: unknown, apiVersion: string): unknown => {
      if (!isWhole(object)) return object;
      const key = apiVersion + stringifyJson(object);
      if (known.has(key)) return known.get(key);
      throw new ConversionNeeded(object, { apiVersion, key });
    };
    const otherVersion = (apiVersion: string) => {
      const type = this.#typeOf(apiVersion);
      if (type === undefined) return undefined;
      const convertBack = (object: unknown): unknown => convert(object, own);
      return { type, convert: (object: unknown) => convert(object, apiVersion), convertBack };
    };
    for (let conversions = 0; conversions < maxConversions; conversions++) {
      try {
        return compute(otherVersion);
      } catch (error) {
        if (!(error instanceof ConversionNeeded)) throw error;
        known.set(error.key, await this.#converter.convert(error.object, error.apiVersion));
      }
    }
    throw new Error(`tracking the managed fields of a ${this.#definition.kind} exceeds ${maxConversions} conversions`);
  }

  #typeOf(apiVersion: string): KindType | undefined {
    if (!this.#types.has(apiVersion)) {
      const schema = this.#converter.schemaOf(apiVersion);
      this.#types.set(apiVersion, schema && applyTypeOf(schema, { typed: false }));
    }
    return this.#types.get(apiVersion);
  }
}

/** Thrown when a conversion is not available yet. Never leaves {@link AwaitedConversions}. */
class ConversionNeeded extends Error {
  readonly object: Draft;
  readonly apiVersion: string;
  readonly key: string;

  constructor(object: Draft, { apiVersion, key }: { readonly apiVersion: string; readonly key: string }) {
    super('a conversion is needed');
    this.object = object;
    this.apiVersion = apiVersion;
    this.key = key;
  }
}

/**
 * Reports whether an object still has the kind and metadata that a conversion needs. Apply passes objects that are
 * pruned to some of their fields.
 */
function isWhole(object: unknown): object is Draft {
  return typeof object === 'object' && object !== null && 'metadata' in object && 'kind' in object;
}
