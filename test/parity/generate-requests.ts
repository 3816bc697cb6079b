import { type Random, seededRandom } from '@kubewright/apimachinery';
import { KindChanges } from './kind-changes.ts';
import type { ParityKind } from './parity-kinds.ts';
import { type Change, type Operation, operationsOf, type ParityRequest } from './parity-request.ts';
import type { OpenApiDocument } from './schema-fields.ts';

/** Options for {@link generateRequests}. */
export interface GenerateOptions {
  readonly kinds: readonly ParityKind[];
  /** OpenAPI documents by group version: `apps/v1`, `v1`. */
  readonly documents: ReadonlyMap<string, OpenApiDocument>;
  readonly seed: number;
  readonly perKind: number;
}

/** Generates requests from the OpenAPI documents. The same seed generates the same requests. */
export function generateRequests({ kinds, documents, seed, perKind }: GenerateOptions): readonly ParityRequest[] {
  return kinds.flatMap((kind) => {
    const random = kindRandom(kind, seed);
    const changes = new KindChanges(kind, { document: documents.get(kind.apiVersion), random });
    const generator = new KindRequests(kind, { changes, random });
    return Array.from({ length: perKind }, () => generator.next());
  });
}

/** Operations to choose from. The more often an operation is listed, the more often it is chosen. */
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
  readonly #random: Random;
  readonly #changes: KindChanges;

  constructor(kind: ParityKind, draw: { readonly changes: KindChanges; readonly random: Random }) {
    this.#kind = kind;
    this.#random = draw.random;
    this.#changes = draw.changes;
  }

  next(): ParityRequest {
    if (this.#changes.hasStatus && this.#random.next() < 0.15) {
      const operation = this.#random.next() < 0.5 ? 'status-update' : 'status-merge';
      return this.#request(operation, [this.#changes.change('status')]);
    }
    const allowed = operationsOf(this.#kind);
    const operation = this.#pick(mix.filter((one) => allowed.includes(one)));
    const count = this.#random.next() < 0.75 ? 1 : 2;
    return this.#request(
      operation,
      Array.from({ length: count }, () => this.#changes.change('desired')),
    );
  }

  #request(operation: Operation, changes: readonly Change[]): ParityRequest {
    return { kind: this.#kind.id, operation, changes };
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random.next() * from.length)] as T;
  }
}

/** Returns a random number generator that depends only on the kind and the seed. */
export function kindRandom({ id }: ParityKind, seed: number): Random {
  return seededRandom(seed * 7919 + hashOf(id));
}

function hashOf(text: string): number {
  return [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
}
