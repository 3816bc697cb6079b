import { parseApiVersion } from '@kubewright/apimachinery';
import type { ApiGroup, ApiGroupVersion, ApiResource, ApiSubresource } from './api-resource.ts';

/** The parts of `APIGroupDiscoveryList` (apidiscovery.k8s.io v2 and v2beta1) that are used. */
interface AggregatedDocument {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly AggregatedVersion[];
  }[];
}

interface AggregatedVersion {
  readonly version?: string;
  readonly freshness?: string;
  readonly resources?: readonly AggregatedResource[];
}

interface AggregatedResource {
  readonly resource?: string;
  readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind?: string };
  readonly scope?: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource?: string; readonly verbs?: readonly string[] }[];
}

/** The parts of `APIResourceList` (v1) that are used. */
export interface LegacyResourceList {
  readonly groupVersion?: string;
  readonly resources?: readonly LegacyResource[];
}

interface LegacyResource {
  readonly name?: string;
  readonly singularName?: string;
  readonly namespaced?: boolean;
  readonly kind?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** True if the response is aggregated discovery; older servers return the legacy form. */
export function isAggregated(document: unknown): document is AggregatedDocument {
  return (document as { readonly kind?: unknown } | null)?.kind === 'APIGroupDiscoveryList';
}

/** Decodes aggregated discovery: one document for all groups. */
export function decodeAggregated(document: AggregatedDocument): ApiGroup[] {
  return (document.items ?? []).map((item) => {
    const group = item.metadata?.name ?? '';
    return {
      name: group,
      versions: (item.versions ?? []).map((version) => decodeAggregatedVersion(group, version)),
    };
  });
}

function decodeAggregatedVersion(group: string, entry: AggregatedVersion): ApiGroupVersion {
  const version = entry.version ?? '';
  const resources: ApiResource[] = [];
  for (const resource of entry.resources ?? []) {
    // A subresource without an addressable parent has no kind; clients cannot use it.
    if (!resource.resource || !resource.responseKind?.kind) continue;
    resources.push({
      group,
      version,
      kind: resource.responseKind.kind,
      plural: resource.resource,
      scope: resource.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
      singular: resource.singularResource || resource.responseKind.kind.toLowerCase(),
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      verbs: resource.verbs ?? [],
      subresources: (resource.subresources ?? []).map((sub) => ({
        name: sub.subresource ?? '',
        verbs: sub.verbs ?? [],
      })),
    });
  }
  return { version, stale: entry.freshness === 'Stale', resources };
}

/** Decodes one version's `APIResourceList`, which lists subresources as `pods/status` next to their parents. */
export function decodeLegacy(list: LegacyResourceList, fallback: string): ApiGroupVersion {
  const { group, version } = parseApiVersion(list.groupVersion ?? fallback);
  const subresources = new Map<string, ApiSubresource[]>();
  const parents: LegacyResource[] = [];
  for (const resource of list.resources ?? []) {
    const name = resource.name ?? '';
    const slash = name.indexOf('/');
    if (slash < 0) {
      parents.push(resource);
      continue;
    }
    const of = subresources.get(name.slice(0, slash)) ?? [];
    of.push({ name: name.slice(slash + 1), verbs: resource.verbs ?? [] });
    subresources.set(name.slice(0, slash), of);
  }
  const resources = parents.map(
    (resource): ApiResource => ({
      group,
      version,
      kind: resource.kind ?? '',
      plural: resource.name ?? '',
      scope: resource.namespaced ? 'Namespaced' : 'Cluster',
      singular: resource.singularName || (resource.kind ?? '').toLowerCase(),
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      verbs: resource.verbs ?? [],
      subresources: subresources.get(resource.name ?? '') ?? [],
    }),
  );
  return { version, stale: false, resources };
}
