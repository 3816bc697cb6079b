import type { ApiGroup, ApiResource } from './api-resource.ts';

/**
 * Finds resources by the names used by people and manifests. Immutable: a snapshot of one discovery.
 *
 * If several resources match, the order is kubectl's: the core group first, then the other groups in the server's
 * order; within a group, the server's preferred version first.
 *
 * @example
 * ```ts
 * const pods = new RestMapper(groups).forName('pods')?.kind;
 * ```
 */
export class RestMapper {
  readonly #groups: readonly ApiGroup[];

  constructor(groups: readonly ApiGroup[]) {
    this.#groups = groups;
  }

  /** All resources of all versions, in order of preference. */
  get resources(): readonly ApiResource[] {
    return this.#groups.flatMap((group) => group.versions.flatMap((version) => version.resources));
  }

  /** Finds the resource of a kind; without a version, in the most preferred version that has the kind. */
  forKind(kind: { readonly group: string; readonly version?: string; readonly kind: string }): ApiResource | undefined {
    return this.#find(kind, (resource) => resource.kind === kind.kind);
  }

  /** Finds a resource by its plural name. */
  forResource(resource: {
    readonly group: string;
    readonly version?: string;
    readonly resource: string;
  }): ApiResource | undefined {
    return this.#find(resource, (candidate) => candidate.plural === resource.resource);
  }

  /**
   * Finds a resource by a name that a user typed: plural, singular, kind or short name, in any case, with an optional
   * group: `po`, `Deployment`, `deployments.apps`, `ingresses.v1.networking.k8s.io`.
   */
  forName(typed: string): ApiResource | undefined {
    const text = typed.toLowerCase();
    const dot = text.indexOf('.');
    const name = dot < 0 ? text : text.slice(0, dot);
    const rest = dot < 0 ? undefined : text.slice(dot + 1);
    const candidates = this.resources.filter((resource) => rest === undefined || matchesGroup(resource, rest));
    return (
      candidates.find((resource) => resource.plural === name) ??
      candidates.find((resource) => resource.singular === name || resource.kind.toLowerCase() === name) ??
      candidates.find((resource) => resource.shortNames.includes(name))
    );
  }

  #find(
    where: { readonly group: string; readonly version?: string },
    matches: (resource: ApiResource) => boolean,
  ): ApiResource | undefined {
    for (const group of this.#groups) {
      if (group.name !== where.group) continue;
      for (const version of group.versions) {
        if (where.version !== undefined && version.version !== where.version) continue;
        const found = version.resources.find(matches);
        if (found) return found;
      }
    }
    return undefined;
  }
}

/**
 * True if the text is the resource's group, in a form that kubectl accepts: `apps`, `v1.apps`, or the version of a core resource.
 */
function matchesGroup(resource: ApiResource, text: string): boolean {
  if (resource.group === text || `${resource.version}.${resource.group}` === text) return true;
  return resource.group === '' && text === resource.version;
}
