import { type KubernetesObject, type Status, StatusError, type VirtualClock } from '@kubewright/apimachinery';
import { type ListOptions, TransportError, type WatchOptions } from '@kubewright/client';
import type { ByteBody, ListWatcher } from '../list-watcher.ts';

/** A failure of a stream or a response. */
export type Failure = '410' | '429' | '500' | '503' | 'refused';
/** The way in which all open watches end. */
export type Cut = 'end' | 'reset' | 'goaway' | 'error 410' | 'error 500' | 'garbage' | 'half a line';
/** The way in which every watch fails while lists succeed. */
export type Broken = '500' | '503' | 'reset' | 'error 500' | 'ends immediately' | 'unanswered';

interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
  readonly atMs: number;
}

/** A server of one kind that keeps every state it ever had, and can simulate all faults between itself and a watch. */
export class FaultyServer implements ListWatcher {
  readonly #clock: VirtualClock;
  readonly #states: ReadonlyMap<string, KubernetesObject>[] = [new Map()];
  readonly #changes: (Change | undefined)[] = [undefined];
  readonly #streams: Set<Stream> = new Set();
  readonly #failing: { readonly verb: 'list' | 'watch'; readonly failure: Failure }[] = [];
  #compacted = 0;
  #lagMs = 0;
  #silent = false;
  #isDown = false;
  #isStalled = false;
  #broken: Broken | undefined;
  #poisoned: number | undefined;
  #uids = 0;
  /** Time at which the server last sent anything. */
  contactMs = 0;
  streamsLists = true;
  lists = 0;
  /** Number of lists, and of watches that begin with the current state. */
  listings = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  get version(): number {
    return this.#states.length - 1;
  }

  get state(): ReadonlyMap<string, KubernetesObject> {
    return this.#states[this.version]!;
  }

  put(name: string): void {
    const old = this.state.get(name);
    const uid = old?.metadata.uid ?? `u${++this.#uids}`;
    const metadata = { name, namespace: 'default', uid, resourceVersion: String(this.version + 1) };
    this.#commit(old ? 'MODIFIED' : 'ADDED', { apiVersion: 'v1', kind: 'Thing', metadata });
  }

  delete(name: string): void {
    const old = this.state.get(name);
    if (!old) return;
    this.#commit('DELETED', { ...old, metadata: { ...old.metadata, resourceVersion: String(this.version + 1) } });
  }

  /** True if the object was missing at that version or at any later time. */
  lacked(name: string, since: number): boolean {
    return this.#states.some((state, version) => version >= since && !state.has(name));
  }

  /** Drops the history, so that watches at older versions get 410. */
  compact(): void {
    this.#compacted = this.version;
  }

  /** Restores the server from a backup that is some versions old. */
  restore(lost: number): void {
    const version = Math.max(this.version - lost, 0);
    this.#states.length = version + 1;
    this.#changes.length = version + 1;
    this.#compacted = Math.min(this.#compacted, version);
    this.cut('reset');
  }

  /** Delays the events of watches. */
  lag(ms: number): void {
    this.#lagMs = ms;
    this.pump();
  }

  /** Stops or resumes sending on all streams; the streams stay open. */
  silence(silent: boolean): void {
    this.#silent = silent;
    this.pump();
  }

  /** Makes all current connections half-open: they deliver nothing more and never close. */
  halfOpen(): void {
    for (const stream of this.#streams) stream.dead = true;
  }

  fail(verb: 'list' | 'watch', failure: Failure): void {
    this.#failing.push({ verb, failure });
  }

  cut(how: Cut): void {
    for (const stream of [...this.#streams]) {
      this.#streams.delete(stream);
      if (stream.dead || this.#silent) continue;
      this.contactMs = this.#clock.monotonic();
      if (how === 'error 410') stream.push(line('ERROR', status('410')));
      if (how === 'error 500') stream.push(line('ERROR', status('500')));
      if (how === 'garbage') stream.push('<html>bad gateway</html>\n');
      if (how === 'half a line') stream.push('{"type":"ADDED","object":{"metad');
      if (how === 'reset') stream.end(new Error('ECONNRESET'));
      else if (how === 'goaway') stream.end(new Error('ERR_HTTP2_STREAM_ERROR after GOAWAY'));
      else stream.end();
    }
  }

  /** Makes the server unreachable, or reachable again. */
  down(isDown: boolean): void {
    this.#isDown = isDown;
    if (isDown) this.cut('reset');
  }

  /** Makes all watches fail from now on; {@link FaultyServer.heal} does not repair them. */
  breakWatches(how: Broken | undefined): void {
    this.#broken = how;
    if (how) this.cut('end');
  }

  /** Makes every watch that starts at the current version receive an ERROR, permanently. */
  poison(): void {
    this.#poisoned = this.version;
    this.cut('end');
  }

  /** Stops or resumes marking the end of streamed initial states. */
  stall(isStalled: boolean): void {
    this.#isStalled = isStalled;
  }

  /** Sends the last events again. */
  repeat(events: number): void {
    for (const stream of this.#streams) {
      for (let at = Math.max(stream.position - events, 0) + 1; at <= stream.position; at++) this.#send(stream, at);
    }
  }

  bookmark(): void {
    for (const stream of this.#streams) {
      if (stream.bookmarks) this.#deliver(stream, line('BOOKMARK', bookmarkAt(stream.position)));
    }
  }

  /** Ends all faults, except for half-open connections and for broken or poisoned watches. */
  heal(): void {
    this.#failing.length = 0;
    this.#isDown = false;
    this.#lagMs = 0;
    this.#silent = false;
    this.pump();
  }

  /** Sends the events that are due. */
  pump(): void {
    const upTo = this.#visible();
    for (const stream of this.#streams) {
      while (stream.position < upTo && !this.#silent && !stream.dead) this.#send(stream, ++stream.position);
    }
  }

  async list(options: ListOptions): Promise<ByteBody> {
    this.#failFor('list', options.resourceVersion);
    if (options.limit !== 1) {
      this.lists++;
      this.listings++;
    }
    const wanted = options.resourceVersion ?? '';
    if (Number(wanted) > this.version) throw tooLarge();
    const at = wanted === '' ? this.version : Math.max(this.#visible(), Number(wanted));
    const items = [...this.#states[at]!.values()].slice(0, options.limit === 1 ? 1 : undefined);
    const text = JSON.stringify({ kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion: String(at) }, items });
    if (this.#silent) return { body: new Stream(0, false) };
    this.contactMs = this.#clock.monotonic();
    const body = new Stream(0, false);
    body.push(text);
    body.end();
    return { body };
  }

  async watch(options: WatchOptions): Promise<ByteBody> {
    this.#failFor('watch', options.resourceVersion);
    const initial = options.sendInitialEvents === true;
    if (initial && !this.streamsLists) throw new StatusError(status('422'));
    const from = Number(options.resourceVersion ?? 0);
    if (!initial && from < this.#compacted) throw new StatusError(status('410'));
    const broken = this.#broken ?? (!initial && from === this.#poisoned ? 'error 500' : undefined);
    if (broken) return this.#fail(broken, options.signal);
    const stream = new Stream(from, options.allowWatchBookmarks === true);
    this.#streams.add(stream);
    options.signal?.addEventListener('abort', () => this.#streams.delete(stream));
    if (!this.#silent) this.contactMs = this.#clock.monotonic();
    if (initial) {
      this.listings++;
      const at = Math.max(this.#visible(), Math.min(from, this.version));
      stream.position = at;
      for (const object of this.#states[at]!.values()) this.#deliver(stream, line('ADDED', object));
      const annotations = { 'k8s.io/initial-events-end': 'true' };
      const end = line('BOOKMARK', { metadata: { ...bookmarkAt(at).metadata, annotations } });
      if (!this.#isStalled) this.#deliver(stream, end);
    }
    this.pump();
    return { body: stream };
  }

  #commit(type: Change['type'], object: KubernetesObject): void {
    const next = new Map(this.state);
    if (type === 'DELETED') next.delete(object.metadata.name!);
    else next.set(object.metadata.name!, object);
    this.#states.push(next);
    this.#changes.push({ type, object, atMs: this.#clock.monotonic() });
    this.pump();
  }

  #visible(): number {
    const now = this.#clock.monotonic();
    let version = this.version;
    while (version > 0 && this.#changes[version]!.atMs > now - this.#lagMs && this.#lagMs > 0) version--;
    return version;
  }

  #send(stream: Stream, version: number): void {
    const { type, object } = this.#changes[version]!;
    this.#deliver(stream, line(type, object));
  }

  #deliver(stream: Stream, text: string): void {
    if (this.#silent || stream.dead) return;
    this.contactMs = this.#clock.monotonic();
    stream.push(text);
  }

  async #fail(how: Broken, signal: AbortSignal | undefined): Promise<ByteBody> {
    if (how === 'unanswered') {
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
    }
    this.contactMs = this.#clock.monotonic();
    if (how === 'reset') throw new Error('ECONNRESET');
    if (how === '500' || how === '503') throw new StatusError(status(how));
    const body = new Stream(0, false);
    if (how === 'error 500') body.push(line('ERROR', status('500')));
    body.end();
    return { body };
  }

  #failFor(verb: 'list' | 'watch', version: string | undefined): void {
    if (this.#isDown) throw new TransportError('KW2001', { what: 'ECONNREFUSED' });
    const at = this.#failing.findIndex((each) => each.verb === verb);
    if (at < 0) return;
    const failure = this.#failing.splice(at, 1)[0]!.failure;
    // A server never returns 410 for the newest state.
    if (failure === '410' && (version ?? '') === '') return;
    this.contactMs = this.#clock.monotonic();
    if (failure === 'refused') throw new Error('ECONNREFUSED');
    throw new StatusError(status(failure));
  }
}

/** A body that can be written to while it is being read. */
class Stream implements AsyncIterable<Uint8Array> {
  position: number;
  dead = false;
  readonly bookmarks: boolean;
  readonly #chunks: Uint8Array[] = [];
  #ended = false;
  #error: Error | undefined;
  #wake: () => void = () => {};

  constructor(position: number, bookmarks: boolean) {
    this.position = position;
    this.bookmarks = bookmarks;
  }

  push(text: string): void {
    this.#chunks.push(Buffer.from(text));
    this.#wake();
  }

  end(error?: Error): void {
    this.#ended = true;
    this.#error = error;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, undefined> {
    for (;;) {
      while (this.#chunks.length > 0) yield this.#chunks.shift()!;
      if (this.#error) throw this.#error;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

function bookmarkAt(version: number): { readonly metadata: { readonly resourceVersion: string } } {
  return { metadata: { resourceVersion: String(version) } };
}

function tooLarge(): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: '' }];
  return new StatusError({ ...status('503'), details: { causes } });
}

function status(failure: Failure | '422'): Status {
  const code = failure === 'refused' ? 503 : Number(failure);
  const reason = code === 410 ? 'Expired' : code === 429 ? 'TooManyRequests' : '';
  const details = code === 429 ? { retryAfterSeconds: 20 } : {};
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message: failure, details };
}
