import { minimalObjects } from '../../packages/controlplane/src/kinds/testdata/minimal-objects.mjs';
import { builtinResources } from '../../packages/schema/src/builtin/resources.ts';

/** An object as sent or returned. */
export interface JsonObject {
  [field: string]: unknown;
}

/** A kind that the suite tests, with a valid object. */
export interface ParityKind {
  /** Group, version and resource: `apps/v1/deployments`; for the core group only version and resource: `v1/pods`. */
  readonly id: string;
  readonly resource: string;
  readonly kind: string;
  readonly apiVersion: string;
  /** The kind's own namespace, so that quotas and limits do not affect other kinds; undefined for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  readonly subresources: readonly string[];
  /** The kind's first minimal object, in the kind's namespace. */
  readonly object: JsonObject & { readonly metadata: { readonly name: string } };
}

/** Returns every kind that can be created, in a fixed order. */
export function parityKinds(): readonly ParityKind[] {
  const rows = new Map(
    builtinResources().map((row) => [`${row.group === '' ? '' : `${row.group}/`}${row.version}/${row.resource}`, row]),
  );
  const kinds = new Map<string, ParityKind>();
  for (const [resource, object] of minimalObjects) {
    const id = `${object.apiVersion}/${resource}`;
    const row = rows.get(id);
    if (kinds.has(id) || row === undefined) continue;
    const own = row.scope === 'Namespaced' ? `parity-${id.replace(/\W/g, '-')}` : undefined;
    const subresources = row.subresources.map(({ name }) => name);
    const { apiVersion, kind } = object;
    kinds.set(id, { id, resource, kind, apiVersion, namespace: own, subresources, object: inNamespace(object, own) });
  }
  return [...kinds.values()];
}

/** Returns the path of a kind's collection. */
export function collectionOf({ apiVersion, resource, namespace }: ParityKind): string {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace ? `${base}/namespaces/${namespace}/${resource}` : `${base}/${resource}`;
}

function inNamespace(object: MinimalObject, namespace: string | undefined): ParityKind['object'] {
  const copy = structuredClone(object);
  copy.metadata.name = parityName(object);
  if (namespace) copy.metadata['namespace'] = namespace;
  const { involvedObject, regarding, webhooks } = copy as { [field: string]: { namespace?: string } };
  for (const reference of [involvedObject, regarding]) if (reference && namespace) reference.namespace = namespace;
  // Without rules, the API server never calls the webhook.
  for (const webhook of (webhooks as unknown as JsonObject[] | undefined) ?? []) delete webhook['rules'];
  return copy;
}

type MinimalObject = (typeof minimalObjects)[number][1];

/** Returns the object's name. Makes it unique per kind, except for kinds whose names have a meaning. */
function parityName({ kind, apiVersion, metadata: { name } }: MinimalObject): string {
  return kind === 'IPAddress' || kind === 'APIService'
    ? name
    : `${name}-${apiVersion.replace(/\W/g, '-').toLowerCase()}`;
}
