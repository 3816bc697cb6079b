import { builtinGroupVersions } from '@kubewright/schema/internal';
import type { RemoteVersion } from '../aggregation/remote-groups.ts';
import type { ResourceDefinition } from '../registry/index.ts';
import { groupPriority, versionPriority } from './priorities.ts';
import { compareVersions } from './version-priority.ts';

/** A group with its versions, preferred version first. The core group's name is empty. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly ApiGroupVersion[];
}

/** A version of a group and its resources, in discovery order. */
export interface ApiGroupVersion {
  readonly version: string;
  /** Empty if another server serves it. */
  readonly resources: readonly ResourceDefinition[];
  readonly remote?: RemoteVersion;
}

/**
 * Sorts the served resources for discovery: groups and versions by descending priority; among equals, built-in groups in
 * upstream's order, then others by name. A version of another server contains only that server's resources.
 */
export function arrangeGroups(
  definitions: readonly ResourceDefinition[],
  remote: readonly RemoteVersion[] = [],
): readonly ApiGroup[] {
  const groups = new Map<string, Map<string, RankedVersion>>();
  const versionsOf = (group: string): Map<string, RankedVersion> => {
    const versions = groups.get(group) ?? new Map<string, RankedVersion>();
    groups.set(group, versions);
    return versions;
  };
  for (const definition of definitions) {
    const { group, version } = definition;
    const versions = versionsOf(group);
    const ranked = versions.get(version);
    if (ranked) ranked.resources.push(definition);
    else versions.set(version, { ...localRank(definition), version, resources: [definition] });
  }
  for (const one of remote) {
    versionsOf(one.group).set(one.version, { ...one, remote: one, resources: [] });
  }
  const builtin = builtinGroupVersions();
  return [...groups]
    .map(([name, versions]) => {
      const index = builtin.findIndex(({ group }) => group === name);
      const priority = Math.max(...[...versions.values()].map((version) => version.groupPriority));
      return { name, versions, priority, rank: index < 0 ? builtin.length : index };
    })
    .sort((a, b) => b.priority - a.priority || a.rank - b.rank || (a.name < b.name ? -1 : 1))
    .map(({ name, versions }) => ({ name, versions: arrangeVersions([...versions.values()]) }));
}

interface RankedVersion {
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly resources: ResourceDefinition[];
  readonly remote?: RemoteVersion;
}

function localRank({
  group,
  version,
  custom,
}: ResourceDefinition): Pick<RankedVersion, 'groupPriority' | 'versionPriority'> {
  return { groupPriority: groupPriority(group), versionPriority: versionPriority({ group, version, custom }) };
}

function arrangeVersions(versions: readonly RankedVersion[]): readonly ApiGroupVersion[] {
  return [...versions]
    .sort((a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version))
    .map(({ version, resources, remote }) => ({
      version,
      resources: [...resources].sort((a, b) => (a.resource < b.resource ? -1 : 1)),
      ...(remote && { remote }),
    }));
}
