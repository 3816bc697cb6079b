import { collectionOf, type JsonObject, type ParityKind } from '../parity-kinds.ts';
import { type Change, changed, type HttpRequest, jsonPatchOperation, nullIfRemoved } from '../parity-request.ts';

/** A sequence of requests for one kind: writes, then gets, lists and watches of the resulting objects. */
export interface Sequence {
  /** See {@link ParityKind.id}. */
  readonly kind: string;
  /** Part of every object's name, which makes the names unique across sequences. */
  readonly seed: number;
  readonly writes: readonly SequenceWrite[];
  readonly reads: readonly SequenceRead[];
}

/** A write as data. */
export interface SequenceWrite {
  readonly verb: WriteVerb;
  /** The object, such as `a`; undefined for `deletecollection`. */
  readonly name?: string;
  readonly changes?: readonly Change[];
  /** `dryRun=All` */
  readonly query?: string;
  /** DeleteOptions, in which `{uid}` stands for the object's UID. */
  readonly options?: JsonObject;
}

/** The verbs of writes, which change an object, its status or its scale, or delete objects. */
export type WriteVerb =
  | 'create'
  | 'update'
  | 'json'
  | 'merge'
  | 'strategic'
  | 'apply'
  | 'status-update'
  | 'status-merge'
  | 'status-apply'
  | 'scale-update'
  | 'scale-merge'
  | 'delete'
  | 'deletecollection';

/**
 * A read. In `query`, `{start}` stands for the version before all writes, and `{write:3}` for the version that write 3
 * returned.
 */
export interface SequenceRead {
  readonly verb: 'get' | 'list' | 'watch';
  readonly name?: string;
  readonly query: string;
  readonly accept?: string;
  /** Index of the list that this list continues. */
  readonly continues?: number;
}

/** Returns the kind for one sequence: namespaced kinds get a namespace per sequence. */
export function sequenceKind(kind: ParityKind, seed: number): ParityKind {
  return kind.namespace ? { ...kind, namespace: `${kind.namespace}-s${seed}` } : kind;
}

/** Returns the name of an object such as `a`. */
export function objectName(
  { kind, object }: ParityKind,
  named: { readonly seed: number; readonly name: string },
): string {
  const letter = named.name.charCodeAt(0) - 96;
  if (kind === 'IPAddress') return `10.${200 + (named.seed % 50)}.${Math.floor(named.seed / 50) % 250}.${letter}`;
  return `${object.metadata.name}-s${named.seed}-${named.name}`;
}

/** Returns the object that a sequence creates. */
function sequenceObject(kind: ParityKind, named: { readonly seed: number; readonly name: string }): JsonObject {
  const metadata = kind.object.metadata as JsonObject & { readonly labels?: JsonObject };
  const copy = structuredClone(kind.object) as JsonObject;
  const labels = { ...metadata.labels, sequence: `s${named.seed}`, app: named.name === 'a' ? 'x' : 'y' };
  copy['metadata'] = { ...metadata, name: objectName(kind, named), labels };
  const { involvedObject, regarding } = copy as { [field: string]: { namespace?: string } };
  for (const reference of [involvedObject, regarding])
    if (reference && kind.namespace) reference.namespace = kind.namespace;
  if (kind.namespace) (copy['metadata'] as JsonObject)['namespace'] = kind.namespace;
  return copy;
}

/** Converts a write to HTTP. `live` is the stored object or scale, to which updates apply their changes. */
export function writeRequest(
  write: SequenceWrite,
  { kind, seed, live }: { readonly kind: ParityKind; readonly seed: number; readonly live: JsonObject },
): HttpRequest {
  const { verb, name = '', changes = [] } = write;
  const collection = collectionOf(kind);
  const query = write.query === undefined ? '' : `?${write.query}`;
  if (verb === 'create') {
    return {
      method: 'POST',
      path: `${collection}${query}`,
      body: changed(sequenceObject(kind, { seed, name }), changes),
    };
  }
  if (verb === 'deletecollection') {
    return { method: 'DELETE', path: `${collection}${query}`, body: write.options };
  }
  const [, subresource, method] = /^(?:(status|scale)-)?(\w+)$/.exec(verb) as unknown as [string, string?, string?];
  const item = `${collection}/${objectName(kind, { seed, name })}${subresource ? `/${subresource}` : ''}${query}`;
  const patch = (type: string, body: unknown): HttpRequest => ({
    method: 'PATCH',
    path: item,
    type: `application/${type}`,
    body,
  });
  const named = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: objectName(kind, { seed, name }) } };
  switch (method) {
    case 'update':
      return { method: 'PUT', path: item, body: changed(live, changes) };
    case 'json':
      return patch('json-patch+json', changes.map(jsonPatchOperation));
    case 'merge':
      return patch('merge-patch+json', changed({}, changes.map(nullIfRemoved)));
    case 'strategic':
      return patch('strategic-merge-patch+json', changed(named, changes.map(nullIfRemoved)));
    case 'apply':
      return patch('apply-patch+yaml', changed(named, changes));
    default:
      return { method: 'DELETE', path: item, body: withUid(write.options, live) };
  }
}

/** Returns the path of a read, with versions filled in. */
export function readPath(read: SequenceRead, place: { readonly kind: ParityKind; readonly seed: number }): string {
  const collection = collectionOf(place.kind);
  const item = read.name === undefined ? '' : `/${objectName(place.kind, { seed: place.seed, name: read.name })}`;
  return `${collection}${item}?${read.query}`;
}

function withUid(options: JsonObject | undefined, live: JsonObject): JsonObject | undefined {
  const { uid } = (live['metadata'] ?? {}) as { readonly uid?: string };
  return options && JSON.parse(JSON.stringify(options).replaceAll('{uid}', uid ?? 'none'));
}
