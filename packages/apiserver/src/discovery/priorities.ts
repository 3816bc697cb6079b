/**
 * The priorities of API groups and versions in discovery; the highest comes first.
 *
 * @example
 * ```ts
 * const priorities: GroupPriorities = {
 *   groups: new Map([['wardle.example.com', 2_000]]),
 *   versions: new Map([['wardle.example.com/v1', 15], ['wardle.example.com/v1beta1', 9]]),
 * };
 * const discovery = discoveryHandler({ catalog: new MutableCatalog(), priorities, serverAddress: () => '127.0.0.1:6443' });
 * ```
 */
export interface GroupPriorities {
  /** Priorities by group name, which is empty for the core group. Groups that are not listed have 1000. */
  readonly groups: ReadonlyMap<string, number>;
  /**
   * Priorities by group and version: `/v1`, `apps/v1`. Versions that are not listed have 15, and versions of custom resources
   * always have 100.
   */
  readonly versions: ReadonlyMap<string, number>;
}

/** Returns the priorities of a local group and of a version in the group. */
export function prioritiesOf(
  { group, version, custom }: { readonly group: string; readonly version: string; readonly custom: boolean },
  priorities: GroupPriorities | undefined,
): { readonly groupPriority: number; readonly versionPriority: number } {
  return {
    groupPriority: priorities?.groups.get(group) ?? 1000,
    versionPriority: custom ? 100 : (priorities?.versions.get(`${group}/${version}`) ?? 15),
  };
}
