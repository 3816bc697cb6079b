import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { DeclaredKind } from './declared-kind.ts';

/**
 * The declarations of one kind. Recomputes which declaration serves reads only when declarations change, so that a read does not
 * have to search.
 */
export class KindDeclarations {
  #all: readonly DeclaredKind[];
  #widest: DeclaredKind;
  #readable: DeclaredKind | undefined;

  constructor(first: DeclaredKind) {
    this.#all = [first];
    this.#widest = first;
    this.rank();
  }

  get kind(): Kind<KubernetesObject> {
    return this.#widest.kind;
  }

  get all(): readonly DeclaredKind[] {
    return this.#all;
  }

  /** The declaration that serves reads of metadata. */
  get widest(): DeclaredKind {
    return this.#widest;
  }

  /** The declaration that serves reads of complete objects; undefined if only metadata is cached. */
  get readable(): DeclaredKind | undefined {
    return this.#readable;
  }

  add(declared: DeclaredKind): void {
    this.#all = [...this.#all, declared];
    this.rank();
  }

  /** Recomputes which declarations serve reads. Call it when the namespaces have changed. */
  rank(): void {
    this.#widest = widest(this.#all) ?? this.#widest;
    this.#readable = widest(this.#all.filter((each) => each.cached.metadataOnly !== true));
  }
}

/** Picks the declaration that serves reads: prefers all fields, then all objects, then all namespaces. */
function widest(declared: readonly DeclaredKind[]): DeclaredKind | undefined {
  const rank = (each: DeclaredKind): number =>
    (each.isFull ? 4 : 0) + (each.isWhole ? 2 : 0) + (each.cached.namespaces === undefined ? 1 : 0);
  return [...declared].sort((a, b) => rank(b) - rank(a))[0];
}
