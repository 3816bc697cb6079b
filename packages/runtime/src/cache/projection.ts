import { apiVersionOf, type Kind, type KubernetesObject, type ObjectMeta } from '@kubewright/apimachinery';
import { parseExactJson, stringifyJson } from '@kubewright/apimachinery/internal';
import { cutDecoded, cutFields, type FieldTree, fieldTree } from '../scan/field-cut.ts';
import type { CachedKind } from './cached-kind.ts';

/** The bytes of one object, valid until the next object is projected. */
export interface ObjectBytes {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Reduces objects from the server to the parts that are kept. */
export interface Projection {
  bytes(bytes: Buffer, start: number, end: number): ObjectBytes;
  /** Reduces a decoded object; does not modify its argument. */
  object(object: KubernetesObject): KubernetesObject;
}

/** Returns the projection of a declaration; undefined if objects are kept in full. */
export function projectionOf(
  cached: CachedKind,
  options: { readonly onError: (error: unknown) => void },
): Projection | undefined {
  if (cached.metadataOnly) return new MetadataProjection(cached.kind);
  if (cached.transform) return new TransformProjection(cached.transform, options.onError);
  if (cached.fields) return new FieldProjection(cached.fields);
  return undefined;
}

class FieldProjection implements Projection {
  readonly #tree: FieldTree;
  #scratch = Buffer.alloc(16 * 1024);

  constructor(fields: readonly string[]) {
    this.#tree = fieldTree(fields);
  }

  bytes(bytes: Buffer, start: number, end: number): ObjectBytes {
    if (this.#scratch.length < end - start) this.#scratch = Buffer.alloc((end - start) * 2);
    const length = cutFields(bytes, { start, end }, { tree: this.#tree, target: this.#scratch });
    return { bytes: this.#scratch, start: 0, end: length };
  }

  object(object: KubernetesObject): KubernetesObject {
    return cutDecoded(object, this.#tree) as KubernetesObject;
  }
}

/** Reduces objects to metadata. The server already sends metadata only, so only write responses have to be reduced. */
class MetadataProjection implements Projection {
  readonly #type: { readonly apiVersion: string; readonly kind: string };

  constructor(kind: Kind<KubernetesObject>) {
    this.#type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  }

  bytes(bytes: Buffer, start: number, end: number): ObjectBytes {
    return { bytes, start, end };
  }

  object(object: KubernetesObject): KubernetesObject {
    return { ...this.#type, metadata: object.metadata };
  }
}

class TransformProjection implements Projection {
  readonly #transform: (object: KubernetesObject) => KubernetesObject;
  readonly #onError: (error: unknown) => void;

  constructor(transform: (object: KubernetesObject) => KubernetesObject, onError: (error: unknown) => void) {
    this.#transform = transform;
    this.#onError = onError;
  }

  bytes(bytes: Buffer, start: number, end: number): ObjectBytes {
    const object = parseExactJson(bytes.toString('utf8', start, end)) as KubernetesObject;
    const made = this.object(object);
    if (made === object) return { bytes, start, end };
    const text = Buffer.from(stringifyJson(made), 'utf8');
    return { bytes: text, start: 0, end: text.length };
  }

  object(object: KubernetesObject): KubernetesObject {
    let made: KubernetesObject;
    try {
      made = this.#transform(parseExactJson(stringifyJson(object)) as KubernetesObject);
      if (typeof made !== 'object' || made === null) throw new TypeError(`a transform returned ${made}, not an object`);
    } catch (error) {
      this.#onError(error);
      return object;
    }
    return { ...made, metadata: withOwnMetadata(made.metadata, object.metadata) };
  }
}

/**
 * The metadata the runtime depends on: identity and version, generation for the write fence, deletion, finalizers (written as a
 * whole list), owners, and the fields this program has applied.
 */
const ownFields = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'finalizers',
  'ownerReferences',
  'managedFields',
] as const satisfies readonly (keyof ObjectMeta)[];

function withOwnMetadata(made: ObjectMeta | undefined, original: ObjectMeta): ObjectMeta {
  const own: ReadonlySet<string> = new Set(ownFields);
  return Object.fromEntries([
    ...Object.entries(made ?? {}).filter(([name]) => !own.has(name)),
    ...Object.entries(original).filter(([name]) => own.has(name)),
  ]);
}
