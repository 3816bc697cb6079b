import { builtinGroupVersions } from '@kubewright/schema';
import type { ResourceDefinition } from '../registry/index.ts';
import { compareVersions } from './version-priority.ts';

/** A group with its versions, the preferred one first. The core group's name is empty. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly ApiGroupVersion[];
}

/** One version of a group and what it serves, in the order of discovery. */
export interface ApiGroupVersion {
  readonly version: string;
  readonly resources: readonly ResourceDefinition[];
}

/** Arranges definitions as discovery shows them: built-in groups in upstream's order, then others by name. */
export function arrangeGroups(definitions: readonly ResourceDefinition[]): readonly ApiGroup[] {
  const groups = new Map<string, Map<string, ResourceDefinition[]>>();
  for (const definition of definitions) {
    const versions = groups.get(definition.group) ?? new Map<string, ResourceDefinition[]>();
    groups.set(definition.group, versions);
    const resources = versions.get(definition.version) ?? [];
    versions.set(definition.version, resources);
    resources.push(definition);
  }
  const builtin = builtinGroupVersions();
  const rank = (group: string): number => {
    const index = builtin.findIndex((known) => known.group === group);
    return index < 0 ? builtin.length : index;
  };
  return [...groups]
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map(([name, versions]) => ({ name, versions: arrangeVersions(versions) }));
}

function arrangeVersions(versions: ReadonlyMap<string, readonly ResourceDefinition[]>): readonly ApiGroupVersion[] {
  return [...versions]
    .sort(([a], [b]) => compareVersions(a, b))
    .map(([version, resources]) => ({
      version,
      resources: [...resources].sort((a, b) => (a.resource < b.resource ? -1 : 1)),
    }));
}
