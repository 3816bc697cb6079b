import { apiVersionOf, type Clock } from '@kubewright/apimachinery';
import type { CallTarget, ClientCall, ClientInterceptor, DiscoveryClient, RestMapper } from '@kubewright/client';
import { builtInGroups } from './built-in-groups.ts';
import { UnknownKindError } from './unknown-kind-error.ts';

/** What a {@link kindFinder} asks. */
export interface KindFinderOptions {
  readonly discovery: Pick<DiscoveryClient, 'mapper' | 'invalidate'>;
  readonly clock: Clock;
  /**
   * Whether calls on a kind that is not served throw {@link UnknownKindError}; otherwise the server's 404 is handed on, as
   * those need who wait for the kind.
   */
  readonly explain: boolean;
}

/**
 * Discovery is read anew at most once in this time, in milliseconds, whatever is not found. Callers who are told of a missing
 * kind shall see soon that it was installed; who waits lists it every second or two, and sees that without discovery.
 */
const readAgainMs = { told: 1_000, waiting: 10_000 };

/**
 * Sends calls on custom kinds to the collection that the server has for them, whatever plural the program took them to
 * have. Costs nothing while the program is right: only a 404 or a 403 makes it ask, and what was found is kept.
 */
export function kindFinder(options: KindFinderOptions): ClientInterceptor {
  const { explain } = options;
  const mappers = new Mappers(options);
  const plurals = new Map<string, string>();
  return async (call, next) => {
    const { target } = call;
    if (!target || builtInGroups.has(target.group)) return next(call);
    const id = `${target.kind}.${target.version}.${target.group}`;
    const known = plurals.get(id);
    const response = await next(known === undefined ? call : onCollection(call, known));
    // Where roles are narrow, a wrong plural is refused before it is found missing.
    if (response.status !== 404 && response.status !== 403) return response;
    const { signal } = call.request;
    let mapper = await mappers.kept(signal);
    const used = known ?? target.resource;
    if (mapper?.forKind(target)?.plural === used) return response;
    // What was kept may be older than the kind.
    mapper = await mappers.fresh(signal);
    if (!mapper) return response;
    const found = mapper.forKind(target)?.plural;
    if (found === used) return response;
    if (found === undefined) {
      plurals.delete(id);
      if (!explain || response.status === 403) return response;
      await discard(response);
      throw new UnknownKindError(target, { doing: call.verb, served: versionsOf(mapper, target) });
    }
    plurals.set(id, found);
    await discard(response);
    return next(onCollection(call, found));
  };
}

/** What discovery says, read anew no more often than that is worth. Undefined of a server that does not answer. */
class Mappers {
  readonly #options: KindFinderOptions;
  readonly #againMs: number;
  #readMs = Number.NEGATIVE_INFINITY;
  #failed = false;

  constructor(options: KindFinderOptions) {
    this.#options = options;
    this.#againMs = options.explain ? readAgainMs.told : readAgainMs.waiting;
  }

  /** What was read before, if this has read at all: then asking costs nothing. */
  async kept(signal: AbortSignal | undefined): Promise<RestMapper | undefined> {
    return this.#readMs === Number.NEGATIVE_INFINITY ? undefined : this.#read(signal);
  }

  /** What the server says now, or said a moment ago. */
  async fresh(signal: AbortSignal | undefined): Promise<RestMapper | undefined> {
    const now = this.#options.clock.monotonic();
    if (now - this.#readMs >= this.#againMs) {
      this.#readMs = now;
      this.#failed = false;
      this.#options.discovery.invalidate();
    }
    return this.#read(signal);
  }

  async #read(signal: AbortSignal | undefined): Promise<RestMapper | undefined> {
    // A failure is not kept by discovery: to read on would be to ask.
    if (this.#failed) return undefined;
    try {
      return await this.#options.discovery.mapper(signal ? { signal } : {});
    } catch {
      // The first answer, a 404, is what the caller is told.
      this.#failed = signal?.aborted !== true;
      return undefined;
    }
  }
}

function versionsOf(mapper: RestMapper, target: CallTarget): readonly string[] {
  return mapper.resources
    .filter((each) => each.group === target.group && each.kind === target.kind)
    .map((each) => each.version);
}

function onCollection(call: ClientCall, plural: string): ClientCall {
  const target = call.target!;
  const base = `/apis/${apiVersionOf(target)}/`;
  const { path } = call.request;
  if (target.resource === plural || !path.startsWith(base)) return call;
  const rest = path.slice(base.length);
  const namespace = /^namespaces\/[^/?]+\//.exec(rest)?.[0] ?? '';
  const after = rest.slice(namespace.length + target.resource.length);
  return {
    ...call,
    target: { ...target, resource: plural },
    request: { ...call.request, path: `${base}${namespace}${plural}${after}` },
  };
}

/** An answer that nobody reads would hold its connection. */
async function discard(response: { readonly body: AsyncIterable<Uint8Array> }): Promise<void> {
  try {
    for await (const _chunk of response.body);
  } catch {
    // It was not wanted anyway.
  }
}
