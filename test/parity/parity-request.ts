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
  { operation, changes }: ParityRequest,
  { kind, live }: { readonly kind: ParityKind; readonly live: JsonObject },
): HttpRequest {
  const collection = collectionOf(kind);
  const item = `${collection}/${kind.object.metadata.name}`;
  const patch = (path: string, type: string, body: unknown): HttpRequest => ({
    method: 'PATCH',
    path: `${path}dryRun=All`,
    type: `application/${type}`,
    body,
  });
  const named = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: kind.object.metadata.name } };
  switch (operation) {
    case 'create':
      return { method: 'POST', path: `${collection}?dryRun=All`, body: changed(newObject(kind), changes) };
    case 'update':
      return { method: 'PUT', path: `${item}?dryRun=All`, body: sorted(changed(live, changes)) };
    case 'status-update':
      return { method: 'PUT', path: `${item}/status?dryRun=All`, body: sorted(changed(live, changes)) };
    case 'json':
      return patch(`${item}?`, 'json-patch+json', changes.map(jsonPatchOperation));
    case 'merge':
      return patch(`${item}?`, 'merge-patch+json', changed({}, changes.map(nullIfRemoved)));
    case 'status-merge':
      return patch(`${item}/status?`, 'merge-patch+json', changed({}, changes.map(nullIfRemoved)));
    case 'strategic':
      return patch(`${item}?`, 'strategic-merge-patch+json', changed(named, changes.map(nullIfRemoved)));
    case 'apply':
      return patch(`${item}?fieldManager=applier&force=true&`, 'apply-patch+yaml', changed(named, changes));
  }
}

/** Returns the operations to test a kind with. */
export function operationsOf({ kind, subresources }: ParityKind): readonly Operation[] {
  // Controllers in the real API server update the status of these kinds at any time.
  if (kind === 'APIService' || kind === 'FlowSchema') return ['create'];
  return operations.filter((operation) => !operation.startsWith('status') || subresources.includes('status'));
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
