import type { Random } from '@kubewright/apimachinery';
import { oddValues } from './odd-values.ts';
import type { JsonObject, ParityKind } from './parity-kinds.ts';
import { type Change, operationsOf } from './parity-request.ts';
import { type FieldPart, KindSchema, type OpenApiDocument, type SchemaField } from './schema-fields.ts';

/** Generates random changes of one kind's fields. */
export class KindChanges {
  /** True if the kind has a writable status. */
  readonly hasStatus: boolean;
  readonly #kind: ParityKind;
  readonly #schema: KindSchema;
  readonly #random: Random;
  readonly #desired: readonly SchemaField[];
  readonly #status: readonly SchemaField[];
  readonly #metadata: readonly SchemaField[];

  constructor(kind: ParityKind, draw: { readonly document: OpenApiDocument | undefined; readonly random: Random }) {
    this.#kind = kind;
    this.#schema = new KindSchema(draw.document ?? {}, kind);
    this.#random = draw.random;
    this.#desired = this.#schema.fields('desired');
    this.#status = operationsOf(kind).includes('status-update') ? this.#schema.fields('status') : [];
    this.#metadata = this.#schema.fields('metadata');
    this.hasStatus = this.#status.length > 0;
  }

  /**
   * Returns a random change: a field is removed, or set to an odd, plausible or enumerated value. Prefers shallow fields.
   */
  change(part: FieldPart): Change {
    return this.#changeOf({ desired: this.#desired, status: this.#status, metadata: this.#metadata }[part]);
  }

  /** Returns a random change of a field of the spec, or of a field below it. */
  changeBelow(field: string): Change {
    return this.#changeOf(this.#desired.filter(({ path }) => path[0] === 'spec' && path[1] === field));
  }

  #changeOf(fields: readonly SchemaField[]): Change {
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

  /** Returns a change that sets the field. If parents of the field are missing, creates them with their required fields. */
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
