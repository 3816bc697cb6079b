import { collectionOf, type JsonObject, type ParityKind } from './parity-kinds.ts';

/** How a request changes an object. All are dry runs, so that their order does not matter. */
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

/** A change of one place: `value` is set; without a value the place is removed. */
export interface Change {
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
}

/** A request of the suite as data: the kind's object with some changes. */
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

/** Returns the HTTP request; `live` is the kind's stored object, which updates start from. */
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
      return { method: 'PUT', path: `${item}?dryRun=All`, body: changed(live, changes) };
    case 'status-update':
      return { method: 'PUT', path: `${item}/status?dryRun=All`, body: changed(live, changes) };
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

/** Returns the operations that a kind is probed with. */
export function operationsOf({ kind, subresources }: ParityKind): readonly Operation[] {
  // The real server's own controllers write the status of these, at any time.
  if (kind === 'APIService' || kind === 'FlowSchema') return ['create'];
  return operations.filter((operation) => !operation.startsWith('status') || subresources.includes('status'));
}

/** Returns a copy with changes; what lies above a changed place is created. */
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

/** Merge patches remove a field by null. */
export function nullIfRemoved({ path, value = null }: Change): Change {
  return { path, value };
}

/** Returns the JSON patch operation of a change. */
export function jsonPatchOperation({ path, value }: Change): JsonObject {
  const at = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return value === undefined ? { op: 'remove', path: at } : { op: 'add', path: at, value };
}

/** Creates use another name than the stored object, where names are free. */
function newObject({ kind, object }: ParityKind): JsonObject {
  if (kind === 'IPAddress') return { ...object, metadata: { name: '10.9.9.10' } };
  if (kind === 'APIService')
    return changed(object, [
      { path: ['metadata', 'name'], value: 'v2.example.com' },
      { path: ['spec', 'version'], value: 'v2' },
    ]);
  return changed(object, [{ path: ['metadata', 'name'], value: `${object.metadata.name}-new` }]);
}
