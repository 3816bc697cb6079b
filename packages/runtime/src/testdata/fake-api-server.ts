import {
  apiVersionOf,
  FieldSelector,
  type Kind,
  type KubernetesObject,
  LabelSelector,
  type Status,
  StatusError,
} from '@kubewright/apimachinery';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import type { Clock } from '@kubewright/apimachinery';

type Answer = { status: number; headers: Record<string, string>; body: AsyncIterable<Uint8Array> };
interface Stored { object: any; key: string; kind: Kind<KubernetesObject> }
interface Change { type: 'ADDED' | 'MODIFIED' | 'DELETED'; rv: number; object: any; old?: any; plural: string }
interface Request { readonly method: string; readonly path: string; readonly headers: Readonly<Record<string, string>>; readonly body: any; readonly signal: AbortSignal }

/** Lets a test respond instead of the server; undefined lets the server respond. */
export type Interrupt = (call: { method: string; url: URL; verb: string }) => Answer | undefined | Promise<Answer | undefined>;

/** A small model of an API server for tests: lists, watches with bookmarks and 410, patches, apply, finalizers. */
export class FakeApiServer {
  readonly requests: string[] = [];
  readonly client: KubernetesClient;
  readonly transport: InProcessTransport;
  interrupt: Interrupt | undefined;
  watchListSupported = true;
  revision = 100;
  compacted = 0;
  /** Plurals of kinds that are not installed. */
  readonly missing: Set<string> = new Set();
  readonly #kinds: readonly Kind<KubernetesObject>[];
  readonly #objects = new Map<string, Stored>();
  readonly #log: Change[] = [];
  readonly #watchers = new Set<{ wake: () => void; cut: ((error?: Error) => void) | undefined }>();

  constructor(kinds: readonly Kind<KubernetesObject>[], options: { readonly clock?: Clock } = {}) {
    this.#kinds = kinds;
    const transport = new InProcessTransport({ handle: (request) => this.#handle(request as unknown as Request), connection: undefined });
    this.transport = transport;
    this.client = new KubernetesClient({ transport, ...(options.clock && { clock: options.clock }), retry: { maxRetryAfter: 0, maxTransportRetries: 0 } });
  }

  /** Ends all watches, as a server that stops does. */
  cutWatches(error?: Error): void {
    for (const watcher of [...this.#watchers]) watcher.cut?.(error);
  }

  get openWatches(): number {
    return this.#watchers.size;
  }

  /** Drops the history, so that watches at older versions get 410. */
  compact(): void {
    this.compacted = this.revision;
  }

  list(kind: Kind<KubernetesObject>): any[] {
    return [...this.#objects.values()].filter((stored) => stored.kind.plural === kind.plural).map((stored) => as(kind, stored.object));
  }

  get(kind: Kind<KubernetesObject>, name: string, namespace = 'default'): any {
    const object = this.#objects.get(this.#key(kind, kind.scope === 'Cluster' ? '' : namespace, name))?.object;
    return object && as(kind, object);
  }

  /** Writes an object as another client would. */
  put(kind: Kind<KubernetesObject>, object: any): any {
    const namespace = kind.scope === 'Cluster' ? undefined : (object.metadata.namespace ?? 'default');
    const key = this.#key(kind, namespace ?? '', object.metadata.name);
    const old = this.#objects.get(key)?.object;
    this.revision++;
    const changedSpec = !old || JSON.stringify(old.spec) !== JSON.stringify(object.spec);
    const next = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      ...object,
      metadata: {
        ...object.metadata,
        ...(namespace !== undefined && { namespace }),
        uid: old?.metadata.uid ?? `uid-${this.revision}`,
        resourceVersion: String(this.revision),
        generation: (old?.metadata.generation ?? 0) + (changedSpec ? 1 : 0),
      },
    };
    if (next.metadata.deletionTimestamp && !next.metadata.finalizers?.length) return this.#gone(kind, key, next);
    this.#objects.set(key, { object: next, key, kind });
    this.#publish({ type: old ? 'MODIFIED' : 'ADDED', rv: this.revision, object: next, old, plural: kind.plural });
    return next;
  }

  delete(kind: Kind<KubernetesObject>, name: string, namespace = 'default'): any {
    const key = this.#key(kind, kind.scope === 'Cluster' ? '' : namespace, name);
    const old = this.#objects.get(key)?.object;
    if (!old) throw failure(404, 'NotFound', `${kind.plural} "${name}" not found`);
    if (old.metadata.finalizers?.length) {
      if (old.metadata.deletionTimestamp) return old;
      return this.put(kind, { ...old, metadata: { ...old.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    }
    this.revision++;
    return this.#gone(kind, key, { ...old, metadata: { ...old.metadata, resourceVersion: String(this.revision) } });
  }

  bookmark(): void {
    this.revision++;
    for (const watcher of this.#watchers) watcher.wake();
  }

  #gone(kind: Kind<KubernetesObject>, key: string, object: any): any {
    this.#objects.delete(key);
    this.#publish({ type: 'DELETED', rv: this.revision, object, plural: kind.plural });
    return object;
  }

  #publish(change: Change): void {
    this.#log.push(change);
    for (const watcher of this.#watchers) watcher.wake();
  }

  #key(kind: Kind<KubernetesObject>, namespace: string, name: string): string {
    return `${kind.plural}/${namespace}/${name}`;
  }

  async #handle(request: Request): Promise<Answer> {
    const url = new URL(request.path, 'http://server');
    const watch = url.searchParams.get('watch') === 'true' || url.searchParams.get('watch') === '1';
    const verb = watch ? 'watch' : request.method;
    this.requests.push(`${verb} ${url.pathname}${url.search}`);
    try {
      const interrupted = await this.interrupt?.({ method: request.method, url, verb });
      if (interrupted) return interrupted;
      if (url.pathname === '/api' || url.pathname === '/apis') return this.#discovery(url.pathname === '/api');
      return await this.#route(request, url, watch);
    } catch (error) {
      if (error instanceof StatusError) return json(error.httpStatus, error.status);
      throw error;
    }
  }

  async #route(request: Request, url: URL, watch: boolean): Promise<Answer> {
    const match = /^\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(url.pathname);
    const kind = this.#kinds.find(
      (each) => each.plural === match?.[5] && each.group === (match?.[2] ?? '') && each.version === (match?.[1] ?? match?.[3]),
    );
    if (!match || !kind || this.missing.has(kind.plural)) throw failure(404, 'NotFound', 'the server could not find the requested resource');
    const [, , , , namespace, , name, subresource] = match;
    if (name === undefined) {
      if (watch) return this.#watch(kind, { url, namespace, signal: request.signal });
      if (request.method === 'POST') return this.#create(kind, namespace, await readBody(request.body));
      return this.#listPage(kind, { url, namespace });
    }
    return this.#one(kind, { request, url, namespace: namespace ?? '', name, subresource });
  }

  /** The discovery response: the served kinds, plus some that every server has. */
  #discovery(core: boolean): Answer {
    const builtIn: Kind<KubernetesObject>[] = [
      { group: '', version: 'v1', kind: 'Binding', plural: 'bindings', scope: 'Namespaced' },
      { group: 'apps', version: 'v1', kind: 'ControllerRevision', plural: 'controllerrevisions', scope: 'Namespaced' },
    ];
    const served = [...builtIn, ...this.#kinds].filter((each) => (each.group === '') === core && !this.missing.has(each.plural));
    const items = [...new Set(served.map(({ group }) => group))].map((group) => {
      const kinds = served.filter((each) => each.group === group);
      const versions = [...new Set(kinds.map(({ version }) => version))].map((version) => ({
        version,
        freshness: 'Current',
        resources: kinds
          .filter((each) => each.version === version)
          .map((each) => ({ resource: each.plural, responseKind: { group, version, kind: each.kind }, scope: each.scope, verbs: [] })),
      }));
      return { metadata: { name: group }, versions };
    });
    return json(200, { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items });
  }

  #create(kind: Kind<KubernetesObject>, namespace: string | undefined, object: any): Answer {
    if (this.get(kind, object.metadata.name, namespace ?? '')) throw failure(409, 'AlreadyExists', 'already exists');
    return json(201, this.put(kind, { ...object, metadata: { ...object.metadata, ...(namespace && { namespace }) } }));
  }

  #select(kind: Kind<KubernetesObject>, namespace: string | undefined, url: URL): any[] {
    return this.list(kind).filter((object) => selects(url, namespace, object));
  }

  #listPage(kind: Kind<KubernetesObject>, where: { url: URL; namespace: string | undefined }): Answer {
    const { searchParams } = where.url;
    const wanted = searchParams.get('resourceVersion');
    if (wanted && wanted !== '0' && Number(wanted) > this.revision) {
      const status = failure(504, 'Timeout', 'Too large resource version').status;
      throw new StatusError({ ...status, details: { causes: [{ reason: 'ResourceVersionTooLarge', message: '' }] } });
    }
    const all = this.#select(kind, where.namespace, where.url);
    const limit = Number(searchParams.get('limit') ?? 0) || all.length;
    const from = Number(searchParams.get('continue') ?? 0);
    const items = all.slice(from, from + limit);
    const metadata: Record<string, unknown> = { resourceVersion: String(this.revision) };
    if (from + limit < all.length) metadata['continue'] = String(from + limit);
    return json(200, { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), metadata, items });
  }

  #watch(kind: Kind<KubernetesObject>, where: { url: URL; namespace: string | undefined; signal: AbortSignal }): Answer {
    const { searchParams } = where.url;
    const initial = searchParams.get('sendInitialEvents') === 'true';
    if (initial && !this.watchListSupported) throw failure(422, 'Invalid', 'sendInitialEvents is forbidden');
    const from = Number(searchParams.get('resourceVersion') ?? 0);
    if (!initial && from < this.compacted) throw failure(410, 'Expired', 'too old resource version');
    return { status: 200, headers: { 'content-type': 'application/json' }, body: this.#stream(kind, { ...where, initial, from }) };
  }

  async *#stream(
    kind: Kind<KubernetesObject>,
    where: { url: URL; namespace: string | undefined; signal: AbortSignal; initial: boolean; from: number },
  ): AsyncGenerator<Uint8Array, undefined> {
    let ended = false;
    let failed: Error | undefined;
    let wake: () => void = () => {};
    const watcher = { wake: () => wake(), cut: (error?: Error) => ((ended = true), (failed = error), wake()) };
    this.#watchers.add(watcher);
    where.signal.addEventListener('abort', () => watcher.cut());
    try {
      let seen = where.from;
      if (where.initial) {
        seen = this.revision;
        for (const object of this.#select(kind, where.namespace, where.url)) yield line('ADDED', object);
        yield line('BOOKMARK', bookmarkOf(kind, seen, true));
      }
      while (!ended) {
        const upTo = this.revision;
        const news = this.#log.filter((each) => each.rv > seen && each.plural === kind.plural);
        for (const change of news) {
          const type = typeFor(change, (object) => selects(where.url, where.namespace, object));
          if (type) yield line(type, as(kind, change.object));
        }
        if (news.length === 0 && upTo > seen) yield line('BOOKMARK', bookmarkOf(kind, upTo, false));
        seen = upTo;
        if (ended) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (this.revision > seen || ended) resolve();
        });
      }
      if (failed) throw failed;
      return undefined;
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  async #one(
    kind: Kind<KubernetesObject>,
    what: { request: Request; url: URL; namespace: string; name: string; subresource: string | undefined },
  ): Promise<Answer> {
    const { request, url, namespace, name, subresource } = what;
    const old = this.get(kind, name, namespace);
    const body = request.method === 'GET' ? undefined : await readBody(request.body);
    if (request.method === 'PATCH' && request.headers['content-type']?.includes('apply')) {
      return json(200, this.#apply(kind, { old, body, url, namespace, name, subresource }));
    }
    if (!old) throw failure(404, 'NotFound', `${kind.plural} "${name}" not found`);
    if (request.method === 'GET') return json(200, old);
    if (request.method === 'DELETE') {
      check(body?.preconditions ?? {}, old);
      return json(200, this.delete(kind, name, namespace));
    }
    check(body.metadata ?? {}, old);
    if (request.method === 'PUT') return json(200, this.put(kind, body));
    return json(200, this.put(kind, { ...old, ...body, metadata: { ...old.metadata, ...body.metadata } }));
  }

  #apply(
    kind: Kind<KubernetesObject>,
    what: { old: any; body: any; url: URL; namespace: string; name: string; subresource: string | undefined },
  ): any {
    const { old, body, url, subresource, namespace } = what;
    const manager = url.searchParams.get('fieldManager') ?? '';
    if (body.metadata.uid && body.metadata.uid !== old?.metadata.uid) throw failure(409, 'Conflict', 'uid mismatch');
    if (!old && subresource) throw failure(404, 'NotFound', 'not found');
    const { apiVersion, kind: _kind, metadata, ...rest } = body;
    const { name, namespace: _ns, uid: _uid, ...owned } = metadata;
    const fieldsV1 = fieldsOf(Object.keys(owned).length > 0 ? { ...rest, metadata: owned } : rest);
    const entry = { manager, operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1, ...(subresource && { subresource }) };
    const others = (old?.metadata.managedFields ?? []).filter((each: any) => each.manager !== manager || each.subresource !== entry.subresource);
    const next = { ...old, ...rest, metadata: { ...old?.metadata, ...owned, name, ...(namespace && { namespace }), managedFields: [...others, entry] } };
    const same = old && JSON.stringify({ ...old, metadata: { ...old.metadata } }) === JSON.stringify(next);
    return same ? old : this.put(kind, next);
  }
}

/** Converts an object to another version of its kind: all versions have the same fields. */
function as(kind: Kind<KubernetesObject>, object: any): any {
  const apiVersion = apiVersionOf(kind);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Returns the field set of a value. Lists other than owner references are atomic. */
function fieldsOf(value: any): any {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      `f:${key}`,
      key === 'ownerReferences'
        ? Object.fromEntries((each as any[]).map((ref) => [`k:${JSON.stringify({ uid: ref.uid })}`, { '.': {}, ...Object.fromEntries(Object.keys(ref).map((k) => [`f:${k}`, {}])) }]))
        : fieldsOf(each),
    ]),
  );
}

/** Returns the event that a watch with a selector sends: an object that starts or stops matching is added or deleted. */
function typeFor(change: Change, fits: (object: any) => boolean): Change['type'] | undefined {
  const now = fits(change.object);
  const before = change.old !== undefined && fits(change.old);
  if (change.type === 'DELETED') return now ? 'DELETED' : undefined;
  if (!now) return before ? 'DELETED' : undefined;
  return before ? 'MODIFIED' : 'ADDED';
}

function selects(url: URL, namespace: string | undefined, object: any): boolean {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  const labels = LabelSelector.parse(url.searchParams.get('labelSelector') ?? '');
  const fields = FieldSelector.parse(url.searchParams.get('fieldSelector') ?? '');
  const lookup = (path: string): string => String(path.split('.').reduce((value, name) => value?.[name], object) ?? '');
  return labels.matches(object.metadata.labels ?? {}) && fields.matches(lookup);
}

function check(wanted: any, old: any): void {
  for (const field of ['uid', 'resourceVersion']) {
    const given = wanted[field];
    if (given !== undefined && given !== old.metadata[field]) throw failure(409, 'Conflict', `${field} does not match`);
  }
}

function bookmarkOf(kind: Kind<KubernetesObject>, revision: number, end: boolean): unknown {
  const annotations = end ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { resourceVersion: String(revision), ...annotations } };
}

async function readBody(body: any): Promise<any> {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return JSON.parse(Buffer.from(body).toString('utf8') || 'null');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || 'null');
}

export function line(type: string, object: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}

export function failure(code: number, reason: Status['reason'] & string, message: string, details: Status['details'] = {}): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message, details });
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  const bytes = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: chunks(bytes) };
}

export function stream(...parts: readonly (Uint8Array | 'hang' | Error)[]): Answer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: partsOf(parts) };
}

async function* partsOf(parts: readonly (Uint8Array | 'hang' | Error)[]): AsyncGenerator<Uint8Array, undefined> {
  for (const part of parts) {
    if (part === 'hang') await new Promise(() => {});
    else if (part instanceof Error) throw part;
    else yield part as Uint8Array;
  }
  return undefined;
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  for (let at = 0; at < bytes.length; at += 16_384) yield bytes.subarray(at, at + 16_384);
  return undefined;
}

