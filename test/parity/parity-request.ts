import { collectionOf, type JsonObject, type ParityKind } from './parity-kinds.ts';

/** The operations that requests perform. All are dry runs, so that their order does not matter. */
const operations = [
  'create',
  'update',
  'json',
  'merge',
  'strategic',
  'apply',
  'status-update',
  'status-merge',
  'status-json',
  'status-strategic',
  'status-apply',
  'scale-update',
  'scale-merge',
  'scale-apply',
  'ephemeralcontainers-update',
  'ephemeralcontainers-strategic',
  'resize-update',
  'resize-strategic',
  'finalize-update',
  'approval-update',
  'approval-merge',
] as const;

/** See {@link operations}. */
export type Operation = (typeof operations)[number];

/** A change of the value at a path: sets it to `value`, or removes it if there is no `value`. */
export interface Change {
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
}

/** A request of the suite: an operation on the kind's object, to which changes are applied. */
export interface ParityRequest {
  /** See {@link ParityKind.id}. */
  readonly kind: string;
  readonly operation: Operation;
  readonly changes: readonly Change[];
  /** How the server handles unknown fields. @defaultValue it warns about them */
  readonly fieldValidation?: 'Strict' | 'Ignore';
}

/** A request as sent. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly accept?: string | undefined;
  readonly body?: unknown;
}

/** Converts a request to HTTP. `live` is the kind's stored object, to which updates apply their changes. */
export function httpRequest(
  { operation, changes, fieldValidation }: ParityRequest,
  { kind, live }: { readonly kind: ParityKind; readonly live: JsonObject },
): HttpRequest {
  const collection = collectionOf(kind);
  const [, subresource, verb] = /^(?:(\w+)-)?(\w+)$/.exec(operation) as unknown as [string, string?, string?];
  const { name } = kind.object.metadata;
  const item = `${collection}/${name}${subresource ? `/${subresource}` : ''}`;
  const query = `dryRun=All${fieldValidation ? `&fieldValidation=${fieldValidation}` : ''}`;
  const patch = (type: string, body: unknown, more = ''): HttpRequest => ({
    method: 'PATCH',
    path: `${item}?${more}${query}`,
    type: `application/${type}`,
    body,
  });
  const { apiVersion, kind: type } = subresource === 'scale' ? scaleType : kind;
  const named = { apiVersion, kind: type, metadata: { name } };
  switch (verb) {
    case 'create':
      return { method: 'POST', path: `${collection}?${query}`, body: changed(newObject(kind), changes) };
    case 'update':
      return {
        method: 'PUT',
        path: `${item}?${query}`,
        body: sorted(changed(bodyOf(kind, live, subresource), changes)),
      };
    case 'json':
      return patch('json-patch+json', changes.map(jsonPatchOperation));
    case 'merge':
      return patch('merge-patch+json', changed({}, changes.map(nullIfRemoved)));
    case 'strategic':
      return patch('strategic-merge-patch+json', changed(named, changes.map(nullIfRemoved)));
    default:
      return patch('apply-patch+yaml', changed(named, changes), 'fieldManager=applier&force=true&');
  }
}

const scaleType = { apiVersion: 'autoscaling/v1', kind: 'Scale' };

/** Returns the object of an update: the stored object, or its scale. */
function bodyOf(kind: ParityKind, live: JsonObject, subresource: string | undefined): JsonObject {
  if (subresource !== 'scale') return live;
  const { name, namespace } = kind.object.metadata as { readonly name: string; readonly namespace?: string };
  return { ...scaleType, metadata: { name, namespace }, spec: { replicas: 1 } };
}

/** Returns the operations to test a kind with. */
export function operationsOf({ kind, subresources }: ParityKind): readonly Operation[] {
  // Controllers in the real API server update the status of these kinds at any time.
  if (kind === 'APIService' || kind === 'FlowSchema') return ['create'];
  return operations.filter((operation) => {
    const [, subresource] = /^(\w+)-/.exec(operation) ?? [];
    return subresource === undefined || subresources.includes(subresource);
  });
}

/** Returns a copy with the changes applied. Creates missing parents of a changed path. */
export function changed(object: JsonObject, changes: readonly Change[]): JsonObject {
  const copy = structuredClone(object);
  for (const { path, value } of changes) {
    let place: JsonObject = copy;
    for (const [index, step] of path.slice(0, -1).entries()) {
      const below = place[step];
      if (typeof below !== 'object' || below === null) place[step] = typeof path[index + 1] === 'number' ? [] : {};
      place = place[step] as JsonObject;
    }
    const last = path.at(-1) as string;
    if (value === undefined) delete place[last];
    else place[last] = structuredClone(value);
  }
  return copy;
}

/**
 * Sorts the keys of an object. The two servers return the fields of an object in different orders, but must get the same body: if
 * several values have a wrong type, they report the first.
 */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** Converts a removal to a change that sets null, which removes a field in merge patches. */
export function nullIfRemoved({ path, value = null }: Change): Change {
  return { path, value };
}

/** Returns the JSON patch operation of a change. */
export function jsonPatchOperation({ path, value }: Change): JsonObject {
  const at = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return value === undefined ? { op: 'remove', path: at } : { op: 'add', path: at, value };
}

/** Returns the object of a create, whose name differs from the stored object's. */
function newObject({ kind, object }: ParityKind): JsonObject {
  if (kind === 'IPAddress') return { ...object, metadata: { name: '10.9.9.10' } };
  if (kind === 'APIService')
    return changed(object, [
      { path: ['metadata', 'name'], value: 'v2.example.com' },
      { path: ['spec', 'version'], value: 'v2' },
    ]);
  return changed(object, [{ path: ['metadata', 'name'], value: `${object.metadata.name}-new` }]);
}
