import { type Random, seededRandom } from '@kubewright/apimachinery';
import { KindChanges } from './kind-changes.ts';
import type { ParityKind } from './parity-kinds.ts';
import { type Change, type Operation, operationsOf, type ParityRequest } from './parity-request.ts';
import type { FieldPart, OpenApiDocument } from './schema-fields.ts';

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
    const allowed = operationsOf(this.#kind);
    const draw = this.#random.next();
    if (this.#changes.hasStatus && draw < 0.15) {
      const operation = this.#pick(allowed.filter((one) => one.startsWith('status-')));
      return this.#request(operation, [this.#changes.change(this.#random.next() < 0.95 ? 'status' : 'desired')]);
    }
    const others = allowed.filter((one) => /^(?!status)\w+-/.test(one));
    if (others.length > 0 && draw < 0.25) return this.#onSubresource(this.#pick(others));
    const operation = this.#pick(mix.filter((one) => allowed.includes(one)));
    const count = this.#random.next() < 0.75 ? 1 : 2;
    return this.#request(
      operation,
      Array.from({ length: count }, () => this.#changes.change(this.#part())),
    );
  }

  /** Returns the part of an object to change through its main endpoint, which ignores the status. */
  #part(): FieldPart {
    const draw = this.#random.next();
    if (draw < 0.1) return 'metadata';
    return draw < 0.15 && this.#changes.hasStatus ? 'status' : 'desired';
  }

  #onSubresource(operation: Operation): ParityRequest {
    if (operation.startsWith('scale'))
      return this.#request(operation, [
        { path: ['spec', 'replicas'], value: this.#pick([0, 2, -1, 2_147_483_648, 'x', null]) },
      ]);
    if (operation.startsWith('approval')) return this.#request(operation, [this.#changes.change('status')]);
    const inside = { ephemeralcontainers: 'ephemeralContainers', resize: 'containers', finalize: 'finalizers' };
    const field = inside[operation.slice(0, operation.indexOf('-')) as keyof typeof inside];
    return this.#request(operation, [this.#changes.changeBelow(field)]);
  }

  #request(operation: Operation, changes: readonly Change[]): ParityRequest {
    const draw = this.#random.next();
    const withTypo = draw < 0.02 ? [...changes, { path: ['spec', 'bogus'], value: 1 }] : changes;
    const request = { kind: this.#kind.id, operation, changes: withTypo };
    if (draw < 0.01) return { ...request, fieldValidation: 'Strict' };
    return draw < 0.015 ? { ...request, fieldValidation: 'Ignore' } : request;
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
