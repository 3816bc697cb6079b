import { type Random, seededRandom } from '@kubewright/apimachinery';
import { oddValues } from './odd-values.ts';
import type { JsonObject, ParityKind } from './parity-kinds.ts';
import { type Change, type Operation, operationsOf, type ParityRequest } from './parity-request.ts';
import { type KindSchema, type OpenApiDocument, KindSchema as Schema, type SchemaField } from './schema-fields.ts';

/** Options for {@link generateRequests}. */
export interface GenerateOptions {
  readonly kinds: readonly ParityKind[];
  /** By group version: `apps/v1`, `v1`. */
  readonly documents: ReadonlyMap<string, OpenApiDocument>;
  readonly seed: number;
  readonly perKind: number;
}

/** Generates requests from the OpenAPI documents; the same seed generates the same requests. */
export function generateRequests({ kinds, documents, seed, perKind }: GenerateOptions): readonly ParityRequest[] {
  return kinds.flatMap((kind) => {
    const random = seededRandom(seed * 7919 + hashOf(kind.id));
    const schema = new Schema(documents.get(kind.apiVersion) ?? {}, kind);
    const generator = new KindRequests({ kind, schema, random });
    return Array.from({ length: perKind }, () => generator.next());
  });
}

/** Each operation as often as it stands here. */
const mix: readonly Operation[] = [
  'create',
  'create',
  'create',
  'create',
  'create',
  'update',
  'update',
  'update',
  'json',
  'merge',
  'strategic',
  'apply',
];

class KindRequests {
  readonly #kind: ParityKind;
  readonly #schema: KindSchema;
  readonly #random: Random;
  readonly #fields: readonly SchemaField[];
  readonly #status: readonly SchemaField[];

  constructor(parts: { readonly kind: ParityKind; readonly schema: KindSchema; readonly random: Random }) {
    this.#kind = parts.kind;
    this.#schema = parts.schema;
    this.#random = parts.random;
    this.#fields = parts.schema.fields('desired');
    this.#status = operationsOf(parts.kind).includes('status-update') ? parts.schema.fields('status') : [];
  }

  next(): ParityRequest {
    if (this.#status.length > 0 && this.#random.next() < 0.15) {
      const operation = this.#random.next() < 0.5 ? 'status-update' : 'status-merge';
      return this.#request(operation, [this.#change(this.#status)]);
    }
    const allowed = operationsOf(this.#kind);
    const operation = this.#pick(mix.filter((one) => allowed.includes(one)));
    const count = this.#random.next() < 0.75 ? 1 : 2;
    return this.#request(
      operation,
      Array.from({ length: count }, () => this.#change(this.#fields)),
    );
  }

  #request(operation: Operation, changes: readonly Change[]): ParityRequest {
    return { kind: this.#kind.id, operation, changes };
  }

  /** Sets a field to an odd, plausible or listed value, or removes it; shallow fields are chosen more often. */
  #change(fields: readonly SchemaField[]): Change {
    let field = this.#pick(fields);
    for (let tries = 0; tries < 2; tries++) {
      const other = this.#pick(fields);
      if (other.path.length < field.path.length && this.#random.next() < 0.5) field = other;
    }
    const values = [...(oddValues[field.type] ?? oddValues.any), ...(field.schema.enum ?? [])];
    const draw = this.#random.next();
    if (draw < 0.06) return { path: field.path };
    return this.#wrapped(field.path, draw < 0.4 ? this.#schema.plausible(field.schema) : this.#pick(values));
  }

  /** Returns a change at the topmost missing path, so that required fields next to the chosen one are present. */
  #wrapped(path: SchemaField['path'], value: unknown): Change {
    let object: unknown = this.#kind.object;
    for (let depth = 0; depth < path.length - 1; depth++) {
      object = (object as JsonObject)[path[depth] as string];
      if (typeof object === 'object' && object !== null) continue;
      return { path: path.slice(0, depth + 1), value: this.#around(path, { depth: depth + 1, value }) };
    }
    return { path, value };
  }

  #around(path: SchemaField['path'], inner: { readonly depth: number; readonly value: unknown }): unknown {
    const step = path[inner.depth];
    if (step === undefined) return inner.value;
    const below = this.#around(path, { depth: inner.depth + 1, value: inner.value });
    if (typeof step === 'number') return [below];
    const plausible = this.#schema.plausible(this.#schema.at(path.slice(0, inner.depth)));
    return { ...(plausible as JsonObject), [step]: below };
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random.next() * from.length)] as T;
  }
}

function hashOf(text: string): number {
  return [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
}
