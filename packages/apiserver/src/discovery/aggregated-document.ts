import type { ResourceDefinition, SubresourceDefinition } from '../registry/index.ts';
import type { ApiGroup, ApiGroupVersion } from './api-groups.ts';
import { isForeign } from './legacy-documents.ts';

/** Builds one document with all details of the groups (apidiscovery.k8s.io/v2 `APIGroupDiscoveryList`). */
export function aggregatedDocument(groups: readonly ApiGroup[]): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.flatMap(({ name, versions }) => {
      const entries = versions.flatMap(versionEntry);
      return entries.length === 0 ? [] : [{ metadata: name === '' ? {} : { name }, versions: entries }];
    }),
  };
}

/** Returns the entry of a version, or none for a version of another server that has not responded yet. */
function versionEntry({ version, resources, remote }: ApiGroupVersion): readonly object[] {
  if (remote) return remote.entry === undefined ? [] : [remote.entry];
  return [{ version, resources: resources.map(resourceEntry), freshness: 'Current' }];
}

function resourceEntry(definition: ResourceDefinition): object {
  const { resource, kind, scope, singular, verbs, shortNames, categories, subresources } = definition;
  const below = [...subresources].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    resource,
    responseKind: responseKind(definition, { ...definition, kind }),
    scope,
    singularResource: singular,
    // Upstream sorts the verbs of built-in kinds, but not those of custom kinds.
    verbs: definition.custom ? verbs : [...verbs].sort(),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(below.length > 0 && { subresources: below.map(([name, sub]) => subresourceEntry(definition, { name, sub })) }),
  };
}

function subresourceEntry(
  definition: ResourceDefinition,
  { name, sub }: { readonly name: string; readonly sub: SubresourceDefinition },
): object {
  return { subresource: name, responseKind: responseKind(definition, sub), verbs: [...sub.verbs].sort() };
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Returns the kind of a response. Like upstream, leaves group and version empty for a built-in resource if the response
 * has the same group and version; clients fill them in.
 */
function responseKind(definition: ResourceDefinition, { group, version, kind }: Kind): Kind {
  if (!definition.custom && !isForeign(definition, { group, version })) return { group: '', version: '', kind };
  return { group, version, kind };
}
