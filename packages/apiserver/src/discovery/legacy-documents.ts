import { apiVersionOf } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { ResourceDefinition } from '../registry/index.ts';
import type { ApiGroup, ApiGroupVersion } from './api-groups.ts';

/** Builds the document at `/api`. */
export function apiVersions(core: ApiGroup | undefined, serverAddress: string): object {
  return {
    kind: 'APIVersions',
    versions: (core?.versions ?? []).map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** Builds the document at `/apis`. */
export function apiGroupList(groups: readonly ApiGroup[]): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupEntry) };
}

/** Builds the document at `/apis/<group>`. */
export function apiGroup(group: ApiGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) };
}

/** Builds the document at `/api/v1` or `/apis/<group>/<version>`. */
export function apiResourceList(group: ApiGroup, { version, resources }: ApiGroupVersion): object {
  return {
    kind: 'APIResourceList',
    // Upstream omits `apiVersion` for the core group (1.36.3).
    ...(group.name !== '' && { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group: group.name, version }),
    resources: resources.flatMap(resourceEntries),
  };
}

function groupEntry({ name, versions }: ApiGroup): { readonly name: string } {
  const entries = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions: entries, preferredVersion: entries[0] } as { readonly name: string };
}

function resourceEntries(definition: ResourceDefinition): readonly object[] {
  const { resource, singular, scope, kind, verbs, shortNames, categories, storageVersionHash } = definition;
  const namespaced = scope === 'Namespaced';
  const main = {
    name: resource,
    singularName: singular,
    namespaced,
    kind,
    verbs: definition.custom ? verbs : [...verbs].sort(),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...defined({ storageVersionHash }),
  };
  const below = [...definition.subresources].map(([name, sub]) => ({
    name: `${resource}/${name}`,
    singularName: '',
    namespaced,
    ...(isForeign(definition, sub) && { group: sub.group, version: sub.version }),
    kind: sub.kind,
    verbs: [...sub.verbs].sort(),
  }));
  return [main, ...below.sort((a, b) => (a.name < b.name ? -1 : 1))];
}

/** Reports whether the group or version of a subresource's body differs from that of the resource. */
export function isForeign(
  definition: { readonly group: string; readonly version: string },
  sub: { readonly group: string; readonly version: string },
): boolean {
  return sub.group !== definition.group || sub.version !== definition.version;
}
