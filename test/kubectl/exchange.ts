import { normalise, type RunPlaces } from './normalise.ts';

/** One request that kubectl sent, and what is remembered of the answer. */
export interface Exchange {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  /** Other headers that change the answer, such as impersonation. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Protobuf and other bytes. */
  readonly bodyBase64?: string;
  readonly answer: Answer;
}

/** Key facts of an answer, comparable between runs. */
export interface Answer {
  readonly status: number;
  readonly contentType?: string;
  readonly kind?: string;
  /** Of a `Status`. */
  readonly reason?: string;
  readonly message?: string;
  /** Of one object: the names of its parts, two levels deep. */
  readonly fields?: readonly string[];
  /** Of a list or a table: rows, and a table's columns. */
  readonly rows?: number;
  readonly columns?: readonly string[];
  /** Of a short text. */
  readonly text?: string;
  /** Of a watch: whether it had something to say. */
  readonly events?: boolean;
  /** Names, uids and versions that the answer handed out, in its order: later requests carry them. Not compared. */
  readonly identities?: readonly Identity[];
}

/** What later requests may carry of an object that an answer had. */
export interface Identity {
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** What an answer's body is taken from. */
export interface RawAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
  readonly watch: boolean;
}

/** Reads the key facts of an answer. */
export function answerFacts({ status, contentType, body, watch }: RawAnswer, places: RunPlaces): Answer {
  const type = contentType?.split(';')[0];
  const base = { status, ...(type ? { contentType: type } : {}) };
  if (watch && status === 200) {
    return { ...base, events: body.includes('\n') };
  }
  if (type === 'text/plain') return { ...base, text: normalise(body.slice(0, 500), places) };
  const object = parse(body);
  if (!object) return base;
  // Names of pods in protobuf were learnt in an order that does not hold.
  const identities = type === PROTOBUF ? [] : identitiesOf(object);
  return { ...base, ...objectFacts(object, places), ...(identities.length > 0 ? { identities } : {}) };
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** More objects than any command goes on with: discovery and the like. */
const MOST_IDENTITIES = 30;

function identitiesOf(object: Json): readonly Identity[] {
  const { items, rows } = object;
  const inRows = Array.isArray(rows) ? rows.map(({ object: inRow }: Json) => inRow as Json) : [];
  const parts = [object, ...(Array.isArray(items) ? (items as Json[]) : inRows)];
  if (parts.length > MOST_IDENTITIES) return [];
  const found = parts.map((part) => {
    const { name, uid, resourceVersion } = (part?.['metadata'] ?? {}) as Identity;
    return { ...(name ? { name } : {}), ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  });
  return found.some((identity) => Object.keys(identity).length > 0) ? found : [];
}

/** Whose parts are long lists that discovery's own tests compare. */
const CATALOGS = new Set(['APIGroupDiscoveryList', 'APIResourceList', 'APIGroupList', 'undefined']);

function objectFacts(object: Json, places: RunPlaces): Omit<Answer, 'status'> {
  const kind = String(object['kind']);
  if (CATALOGS.has(kind)) return { kind };
  if (kind === 'Status') {
    const { reason, message } = object;
    return {
      kind,
      ...(reason === undefined ? {} : { reason: String(reason) }),
      ...(message === undefined ? {} : { message: normalise(String(message), places) }),
    };
  }
  const { columnDefinitions, rows, items } = object;
  if (Array.isArray(columnDefinitions)) {
    const columns = columnDefinitions.map(({ name }: Json) => String(name));
    return { kind, columns, rows: Array.isArray(rows) ? rows.length : 0 };
  }
  // Protobuf has no empty lists.
  if (Array.isArray(items) || kind.endsWith('List')) return { kind, rows: Array.isArray(items) ? items.length : 0 };
  return { kind, fields: fieldsOf(object) };
}

function fieldsOf(object: Json): readonly string[] {
  const names = Object.entries(object).flatMap(([name, value]) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && name !== 'data' ? [name, ...Object.keys(value).map((inner) => `${name}.${inner}`)] : [name];
  });
  return names.sort();
}

type Json = Readonly<Record<string, unknown>>;

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : undefined;
  } catch {
    // Protobuf, YAML or an empty body: the status and the type are all that is compared.
    return undefined;
  }
}
