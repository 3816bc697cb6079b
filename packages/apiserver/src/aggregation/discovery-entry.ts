import type { JsonObject } from '@kubewright/apimachinery/internal';
/** A resource of a group version in the aggregated discovery document (apidiscovery.k8s.io/v2). */
export interface ResourceEntry {
  readonly resource: string;
  readonly responseKind: ResponseKind;
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly SubresourceEntry[];
}

interface SubresourceEntry {
  readonly subresource: string;
  readonly responseKind: ResponseKind;
  readonly verbs: readonly string[];
}

interface ResponseKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Returns the resources of a group version in an `APIGroupDiscoveryList`; `undefined` if the group version is missing.
 */
export function resourcesInAggregated(
  document: unknown,
  { group, version }: { readonly group: string; readonly version: string },
): readonly ResourceEntry[] | undefined {
  const own = objects(document, 'items').filter((item) => text(member(item, 'metadata'), 'name') === group);
  const found = own.flatMap((item) => objects(item, 'versions')).find((one) => text(one, 'version') === version);
  return found && objects(found, 'resources').map(aggregatedEntry);
}

/** Converts an `APIResourceList` to entries of the aggregated document. */
export function resourcesInLegacy(document: unknown): readonly ResourceEntry[] {
  const all = objects(document, 'resources');
  const below = (name: string): readonly SubresourceEntry[] =>
    all.flatMap((entry) => {
      const [resource, subresource, ...more] = text(entry, 'name').split('/');
      if (resource !== name || subresource === undefined || more.length > 0) return [];
      return [{ subresource, responseKind: kindOf(entry), verbs: texts(entry, 'verbs') }];
    });
  return all
    .filter((entry) => !text(entry, 'name').includes('/'))
    .map((entry) => ({
      resource: text(entry, 'name'),
      responseKind: kindOf(entry),
      scope: entry['namespaced'] === true ? 'Namespaced' : 'Cluster',
      singularResource: text(entry, 'singularName'),
      verbs: texts(entry, 'verbs'),
      ...lists(entry),
      ...subresources(below(text(entry, 'name'))),
    }));
}

function aggregatedEntry(entry: JsonObject): ResourceEntry {
  const below = objects(entry, 'subresources').map((sub) => ({
    subresource: text(sub, 'subresource'),
    responseKind: kindOf(member(sub, 'responseKind')),
    verbs: texts(sub, 'verbs'),
  }));
  return {
    resource: text(entry, 'resource'),
    responseKind: kindOf(member(entry, 'responseKind')),
    scope: text(entry, 'scope'),
    singularResource: text(entry, 'singularResource'),
    verbs: texts(entry, 'verbs'),
    ...lists(entry),
    ...subresources(below),
  };
}

function lists(entry: JsonObject): Pick<ResourceEntry, 'shortNames' | 'categories'> {
  const [shortNames, categories] = [texts(entry, 'shortNames'), texts(entry, 'categories')];
  return { ...(shortNames.length > 0 && { shortNames }), ...(categories.length > 0 && { categories }) };
}

function subresources(below: readonly SubresourceEntry[]): Pick<ResourceEntry, 'subresources'> {
  return below.length > 0 ? { subresources: below } : {};
}

/** Returns the kind of an entry. Clients replace an empty group and version with the resource's group and version. */
function kindOf(from: JsonObject): ResponseKind {
  return { group: text(from, 'group'), version: text(from, 'version'), kind: text(from, 'kind') };
}

function member(from: unknown, name: string): JsonObject {
  const value = typeof from === 'object' && from !== null ? (from as JsonObject)[name] : undefined;
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

function objects(from: unknown, name: string): readonly JsonObject[] {
  const value = typeof from === 'object' && from !== null ? (from as JsonObject)[name] : undefined;
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is JsonObject => typeof one === 'object' && one !== null);
}

function text(from: JsonObject, name: string): string {
  const value = from[name];
  return typeof value === 'string' ? value : '';
}

function texts(from: JsonObject, name: string): readonly string[] {
  const value = from[name];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}
