import { defined } from '@kubewright/apimachinery/internal';
import type { RemoteVersion } from '../aggregation/remote-groups.ts';
import type { ResourceDefinition } from '../registry/index.ts';
import { type GroupPriorities, prioritiesOf } from './priorities.ts';
import { compareVersions } from './version-priority.ts';

/** A group with its versions, preferred version first. The core group's name is empty. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly ApiGroupVersion[];
}

/** A version of a group and its resources, in discovery order. */
export interface ApiGroupVersion {
  readonly version: string;
  /** Empty if another server serves the version. */
  readonly resources: readonly ResourceDefinition[];
  readonly remote?: RemoteVersion;
}

/**
 * Arranges the served resources for discovery: groups and versions by descending priority, then by name. Among groups of equal
 * priority, those listed in `priorities` come first. A version of another server contains only that server's resources.
 */
export function arrangeGroups(
  definitions: readonly ResourceDefinition[],
  options: {
    readonly remote?: readonly RemoteVersion[] | undefined;
    readonly priorities?: GroupPriorities | undefined;
  },
): readonly ApiGroup[] {
  const { remote = [], priorities } = options;
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
    else versions.set(version, { ...prioritiesOf(definition, priorities), version, resources: [definition] });
  }
  for (const one of remote) {
    versionsOf(one.group).set(one.version, { ...one, remote: one, resources: [] });
  }
  return [...groups]
    .map(([name, versions]) => {
      const priority = Math.max(...[...versions.values()].map((version) => version.groupPriority));
      return { name, versions, priority, rank: priorities?.groups.has(name) ? 0 : 1 };
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

function arrangeVersions(versions: readonly RankedVersion[]): readonly ApiGroupVersion[] {
  return [...versions]
    .sort((a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version))
    .map(({ version, resources, remote }) => ({
      version,
      resources: [...resources].sort((a, b) => (a.resource < b.resource ? -1 : 1)),
      ...defined({ remote }),
    }));
}
