import { type AnswerFacts, factsOf, type RawAnswer } from '../answer-facts.ts';
import type { JsonObject } from '../parity-kinds.ts';

/**
 * Returns the facts of a sequence's responses. Each resourceVersion is replaced with its rank among the versions of the
 * written objects. The version of a list or bookmark gets the rank of the last write before it.
 */
export function sequenceFacts(answers: readonly RawAnswer[], options: FactOptions): readonly AnswerFacts[] {
  const { today, orderedFinalizers } = options;
  const bodies = answers.map(({ text }) => bodyOf(text, options));
  const written = new Set<number>();
  for (const body of bodies) collectVersions(body, written);
  const order = [...written].sort((a, b) => a - b);
  const placeOf = (version: number): string => `#${order.filter((one) => one <= version).length}`;
  return answers.map((answer, index) => {
    const body = withPlaces(bodies[index], { placeOf, orderedFinalizers });
    return factsOf({ ...answer, text: body === undefined ? answer.text : JSON.stringify(body) }, today);
  });
}

/** Options for {@link sequenceFacts}. */
export interface FactOptions {
  /** The server's date. */
  readonly today: string;
  /**
   * False drops the bookmarks that report progress. Events have no watch cache, so their bookmarks depend on how often
   * etcd is configured to report its progress.
   */
  readonly timedBookmarks: boolean;
  /** False sorts finalizers. A namespace's finalizers are in the order of a Go map once a deletion has changed them. */
  readonly orderedFinalizers: boolean;
}

/** Parses a body: one JSON value, or for a watch, one per line. */
function bodyOf(text: string, options: FactOptions): unknown {
  const lines = text.split('\n').filter(Boolean);
  try {
    const [first, ...more] = lines.map((line) => JSON.parse(line) as Partial<WatchEvent>);
    const isWatch = more.length > 0 || (typeof first?.type === 'string' && typeof first.object === 'object');
    return isWatch
      ? { events: comparableEvents([first, ...more] as WatchEvent[], options) }
      : (first ?? { events: [] });
  } catch {
    return undefined;
  }
}

interface WatchEvent {
  readonly type: string;
  readonly object: BookmarkObject;
}

/** The compared fields of a bookmark's object, or of the table that contains it. */
interface BookmarkObject {
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly metadata?: { readonly annotations?: JsonObject } | undefined;
  readonly columnDefinitions?: unknown;
  readonly rows?: readonly { readonly object?: BookmarkObject | undefined }[];
}

/**
 * Drops irrelevant differences from the events. Drops repeated bookmarks, because their number depends on timing. Keeps
 * only the version and annotation of bookmarks: upstream's objects also contain the zero values of the kind's Go type.
 */
function comparableEvents(events: readonly WatchEvent[], { timedBookmarks }: FactOptions): readonly WatchEvent[] {
  const isKept = (event: WatchEvent, index: number): boolean =>
    !isBookmark(event) || isInitialEnd(event) || (timedBookmarks && !isBookmark(events[index - 1]));
  return events
    .filter(isKept)
    .map((event) => (isBookmark(event) ? { ...event, object: bookmarkObject(event.object) } : event));
}

function bookmarkObject({ kind, apiVersion, metadata, rows, columnDefinitions }: BookmarkObject): BookmarkObject {
  if (!rows) return { kind, apiVersion, metadata: bookmarkMetadata(metadata) };
  const [row] = rows;
  const object = row?.object && bookmarkObject(row.object);
  return { kind, apiVersion, metadata, columnDefinitions, rows: [{ object }] };
}

function bookmarkMetadata(metadata: BookmarkObject['metadata']): BookmarkObject['metadata'] {
  const end = metadata?.annotations?.[initialEventsEnd];
  const { annotations: _, ...rest } = metadata ?? {};
  return end === undefined ? rest : { ...rest, annotations: { [initialEventsEnd]: end } };
}

const initialEventsEnd = 'k8s.io/initial-events-end';

function isBookmark(event: WatchEvent | undefined): boolean {
  return event?.type === 'BOOKMARK';
}

/**
 * Reports whether an event is the bookmark that ends the initial events. In a table, the bookmark's object is in the
 * only row.
 */
function isInitialEnd({ object: { metadata, rows } }: WatchEvent): boolean {
  const { annotations } = rows?.[0]?.object?.metadata ?? metadata ?? {};
  return annotations?.[initialEventsEnd] !== undefined;
}

/** Collects the versions of objects. Skips lists, tables and bookmarks, whose versions no write returned. */
function collectVersions(value: unknown, into: Set<number>): void {
  if (typeof value !== 'object' || value === null) return;
  const { metadata, items, rows, type } = value as Readonly<Record<string, unknown>>;
  if (type === 'BOOKMARK') return;
  const { resourceVersion } = (metadata ?? {}) as { readonly resourceVersion?: unknown };
  const isVersion = typeof resourceVersion === 'string' && /^\d+$/.test(resourceVersion);
  if (isVersion && items === undefined && rows === undefined) into.add(Number(resourceVersion));
  for (const item of Object.values(value)) collectVersions(item, into);
}

interface Places extends Pick<FactOptions, 'orderedFinalizers'> {
  readonly placeOf: (version: number) => string;
}

function withPlaces(value: unknown, places: Places, key = ''): unknown {
  const { placeOf, orderedFinalizers } = places;
  if (Array.isArray(value)) {
    if (key === 'finalizers' && !orderedFinalizers) return [...value].sort();
    if (key === 'cells') return value.map((cell) => (/^(\d+[smhdy])+$/.test(String(cell)) ? 'AGE' : cell));
    return value.map((item) => withPlaces(item, places));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withPlaces(item, places, name)]));
  }
  if (typeof value !== 'string') return value;
  // Our server describes columns in different words.
  if (key === 'description') return 'DESCRIPTION';
  if (key === 'resourceVersion' && /^\d+$/.test(value)) return placeOf(Number(value));
  if (key === 'continue' && value !== '') return continueFacts(value, placeOf);
  return value
    .replace(/in record \(\d+\)/g, 'in record (VERSION)')
    .replace(/ResourceVersion in object meta: \d+/g, 'ResourceVersion in object meta: VERSION')
    .replace(/current: \d+/g, 'current: VERSION');
}

function continueFacts(token: string, placeOf: (version: number) => string): string {
  const { rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as {
    readonly rv: number;
    readonly start: string;
  };
  return `${rv < 0 ? 'newest' : placeOf(rv)} after ${JSON.stringify(start)}`;
}
