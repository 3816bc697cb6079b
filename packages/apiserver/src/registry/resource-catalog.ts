import type { ResourceDefinition } from './resource-definition.ts';

/**
 * The resources that a server serves. The catalog changes when CRDs are created or deleted, so query it on every request, and
 * cache derived data only by the identity of a definition.
 *
 * @example
 * ```ts
 * const groupsOf = (catalog: ResourceCatalog): ReadonlySet<string> => new Set(catalog.all().map(({ group }) => group));
 * ```
 */
export interface ResourceCatalog {
  /** A number that changes whenever the catalog changes, for caches built from it. */
  readonly generation: number;
  find(group: string, version: string, resource: string): ResourceDefinition | undefined;
  /** Returns all definitions that clients may use, in no particular order. */
  all(): readonly ResourceDefinition[];
  /** Reports whether any resource is served in this version of the group. */
  serves(group: string, version: string): boolean;
  /** Reports whether the group has, or had, built-in resources. */
  servesGroup(group: string): boolean;
}

/**
 * An in-memory catalog of built-in definitions and later additions.
 *
 * @example
 * ```ts
 * const catalog = new MutableCatalog();
 * catalog.put(flunders);
 * catalog.find('wardle.example.com', 'v1', 'flunders');
 * catalog.remove('wardle.example.com', 'v1', 'flunders');
 * ```
 */
export class MutableCatalog implements ResourceCatalog {
  #generation = 1;
  readonly #definitions = new Map<string, ResourceDefinition>();
  readonly #counts = new Map<string, number>();
  /**
   * Groups with built-in resources. Upstream's "not found" response for these groups differs from the response for
   * groups of custom resources.
   */
  readonly #builtInGroups = new Set<string>();
  #all: readonly ResourceDefinition[] | undefined;

  constructor(definitions: readonly ResourceDefinition[] = []) {
    for (const definition of definitions) this.put(definition);
  }

  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, resource: string): ResourceDefinition | undefined {
    return this.#definitions.get(`${group}/${version}/${resource}`);
  }

  all(): readonly ResourceDefinition[] {
    this.#all ??= [...this.#definitions.values()].filter(({ hidden }) => !hidden);
    return this.#all;
  }

  serves(group: string, version: string): boolean {
    return (this.#counts.get(`${group}/${version}`) ?? 0) > 0;
  }

  servesGroup(group: string): boolean {
    return this.#builtInGroups.has(group);
  }

  /** Adds a resource, replacing any definition with the same name. */
  put(definition: ResourceDefinition): void {
    const { group, version, resource } = definition;
    const key = `${group}/${version}/${resource}`;
    const before = this.#definitions.get(key);
    this.#count(group, version, Number(!definition.hidden) - Number(before !== undefined && !before.hidden));
    if (!definition.custom) this.#builtInGroups.add(group);
    this.#definitions.set(key, definition);
    this.#changed();
  }

  /** Stops serving a resource. */
  remove(group: string, version: string, resource: string): void {
    const key = `${group}/${version}/${resource}`;
    const before = this.#definitions.get(key);
    if (!before) return;
    this.#definitions.delete(key);
    if (!before.hidden) this.#count(group, version, -1);
    this.#changed();
  }

  #count(group: string, version: string, by: number): void {
    for (const key of [group, `${group}/${version}`]) this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
  }

  #changed(): void {
    this.#generation++;
    this.#all = undefined;
  }
}
