import { normalize, type RunPlaces } from './normalize.ts';

/** A request that kubectl sent, with the recorded facts of the response. */
export interface Exchange {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  /** Other headers that change the response, such as impersonation. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Protobuf and other binary data. */
  readonly bodyBase64?: string;
  readonly answer: Answer;
}

/** The facts of a response that can be compared between runs. */
export interface Answer {
  readonly status: number;
  readonly contentType?: string;
  readonly kind?: string;
  /** For a `Status`. */
  readonly reason?: string;
  readonly message?: string;
  /** For a single object: its field names, two levels deep. */
  readonly fields?: readonly string[];
  /** For a list or table: the number of rows. */
  readonly rows?: number;
  readonly columns?: readonly string[];
  /** For short text. */
  readonly text?: string;
  /** For a watch: true if it delivered events. */
  readonly events?: boolean;
  /** Names, UIDs and versions in the response, in order. Used to translate later requests, not to compare responses. */
  readonly identities?: readonly Identity[];
}

/** The parts of an object that later requests may refer to. */
export interface Identity {
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** A raw response, from which the facts are taken. */
export interface RawAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
  readonly watch: boolean;
}

/** Extracts the key facts of a response. */
export function answerFacts({ status, contentType, body, watch }: RawAnswer, places: RunPlaces): Answer {
  const type = contentType?.split(';')[0];
  const base = { status, ...(type ? { contentType: type } : {}) };
  if (watch && status === 200) {
    return { ...base, events: body.includes('\n') };
  }
  if (type === 'text/plain') return { ...base, text: normalize(body.slice(0, 500), places) };
  const object = parse(body);
  if (!object) return base;
  // The order of pod names in protobuf is not stable.
  const identities = type === PROTOBUF ? [] : identitiesOf(object);
  return { ...base, ...objectFacts(object, places), ...(identities.length > 0 ? { identities } : {}) };
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Maximum number of identities to record. Longer lists, such as discovery, contain nothing that later commands refer to. */
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

/** Kinds of discovery documents, which the tests of discovery compare. */
const CATALOGS = new Set(['APIGroupDiscoveryList', 'APIResourceList', 'APIGroupList', 'undefined']);

function objectFacts(object: Json, places: RunPlaces): Omit<Answer, 'status'> {
  const kind = String(object['kind']);
  if (CATALOGS.has(kind)) return { kind };
  if (kind === 'Status') {
    const { reason, message } = object;
    return {
      kind,
      ...(reason === undefined ? {} : { reason: String(reason) }),
      ...(message === undefined ? {} : { message: normalize(String(message), places) }),
    };
  }
  const { columnDefinitions, rows, items } = object;
  if (Array.isArray(columnDefinitions)) {
    const columns = columnDefinitions.map(({ name }: Json) => String(name));
    return { kind, columns, rows: Array.isArray(rows) ? rows.length : 0 };
  }
  // Protobuf omits empty lists.
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
    // Protobuf, YAML or an empty body: only status and content type are compared.
    return undefined;
  }
}
