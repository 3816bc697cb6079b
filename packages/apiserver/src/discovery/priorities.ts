/** The order of a server's API groups and their versions in discovery; the highest comes first. */
export interface GroupPriorities {
  /** By group name; the core group's is empty. Others have 1000. */
  readonly groups: ReadonlyMap<string, number>;
  /** By group and version: `/v1`, `apps/v1`. Others have 15, those of custom resources 100. */
  readonly versions: ReadonlyMap<string, number>;
}

/** Returns the priority of a local group; the highest comes first. */
export function groupPriority(group: string, priorities: GroupPriorities | undefined): number {
  return priorities?.groups.get(group) ?? 1000;
}

/** Returns the priority of a version in its group. */
export function versionPriority(
  of: { readonly group: string; readonly version: string; readonly custom: boolean },
  priorities: GroupPriorities | undefined,
): number {
  return of.custom ? 100 : (priorities?.versions.get(`${of.group}/${of.version}`) ?? 15);
}
