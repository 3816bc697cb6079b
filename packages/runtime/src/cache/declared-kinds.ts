import { apiVersionOf, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { kindKey } from '../kind/define-kind.ts';
import { IndexConflictError } from './cache-errors.ts';
import type { CachedKind } from './cached-kind.ts';
import { type DeclaredKind, partKeyOf } from './declared-kind.ts';
import { KindDeclarations } from './kind-declarations.ts';

/** The declarations of one cache, by kind, type and resource. */
export class DeclaredKinds {
  readonly #declared = new Map<string, KindDeclarations>();
  /** The kinds of each resource, one for each version, by `plural.group`. */
  #byResource: ReadonlyMap<string, readonly Kind<KubernetesObject>[]> = new Map();
  /** By `apiVersion kind`. */
  #byType: ReadonlyMap<string, Kind<KubernetesObject>> = new Map();

  /** All declarations of all kinds. */
  get everything(): readonly DeclaredKind[] {
    return [...this.#declared.values()].flatMap(({ all }) => all);
  }

  /** Returns the declarations of a kind, or undefined. */
  of(kind: Kind<KubernetesObject>): KindDeclarations | undefined {
    return this.#declared.get(kindKey(kind));
  }

  all(kind: Kind<KubernetesObject>): readonly DeclaredKind[] {
    return this.of(kind)?.all ?? [];
  }

  /** Finds a kind by an object's type. */
  ofType(object: { readonly apiVersion: string; readonly kind: string }): Kind<KubernetesObject> | undefined {
    return this.#byType.get(`${object.apiVersion} ${object.kind}`);
  }

  /** Returns the kinds of a resource, one for each declared version. */
  ofResource({
    group,
    resource,
  }: {
    readonly group: string;
    readonly resource: string;
  }): readonly Kind<KubernetesObject>[] {
    return this.#byResource.get(resourceKey(group, resource)) ?? [];
  }

  add(declared: DeclaredKind): void {
    const declarations = this.of(declared.kind);
    if (declarations) declarations.add(declared);
    else this.#declared.set(kindKey(declared.kind), new KindDeclarations(declared));
    this.#index();
  }

  /**
   * Rejects an index name that is already taken by another function. A list selects an index only by name, so one of the two
   * declarations would get wrong results.
   *
   * @throws IndexConflictError (KW3018)
   */
  rejectOtherIndexes(cached: CachedKind, namespaces: readonly string[] | undefined): void {
    const part = partKeyOf(cached, namespaces);
    for (const present of this.all(cached.kind)) {
      if (partKeyOf(present.cached, namespaces) !== part) continue;
      const there = present.cached.indexes ?? {};
      for (const [name, func] of Object.entries(cached.indexes ?? {})) {
        if (Object.hasOwn(there, name) && there[name] !== func) throw new IndexConflictError(cached.kind, name);
      }
    }
  }

  delete(kind: Kind<KubernetesObject>): void {
    this.#declared.delete(kindKey(kind));
    this.#index();
  }

  #index(): void {
    const kinds = [...this.#declared.values()].map(({ kind }) => kind);
    const byResource = new Map<string, Kind<KubernetesObject>[]>();
    for (const kind of kinds) {
      const key = resourceKey(kind.group, kind.plural);
      const versions = byResource.get(key);
      if (versions) versions.push(kind);
      else byResource.set(key, [kind]);
    }
    this.#byResource = byResource;
    this.#byType = new Map(kinds.map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind]));
  }
}

function resourceKey(group: string, plural: string): string {
  return `${plural}.${group}`;
}
