import { apiVersionOf, type Clock } from '@kubewright/apimachinery';
import type { ClientCall, ClientInterceptor, DiscoveryClient, RestMapper } from '@kubewright/client';
import type { CallTarget } from '@kubewright/client/internal';
import { UnknownKindError } from './unknown-kind-error.ts';

/** Options for {@link kindFinder}. */
export interface KindFinderOptions {
  readonly discovery: Pick<DiscoveryClient, 'mapper' | 'invalidate'>;
  readonly clock: Clock;
  /**
   * True to throw {@link UnknownKindError} for calls on a kind that is not served; false to pass on the server's 404, for callers
   * that wait for the kind.
   */
  readonly explain: boolean;
}

/**
 * Minimum interval between discovery requests, in milliseconds. `explained`: a kind that was just installed must soon
 * be found, or calls keep failing. `waiting`: callers find the kind without discovery, because they list it every
 * second or two.
 */
const readAgainMs = { explained: 1_000, waiting: 10_000 };

/** API groups that every server has: their kinds and plurals are known, so a 404 there refers to the object. */
const builtInGroups: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

/**
 * Sends calls on custom kinds to the plural that the server uses, even if the program declares a different plural.
 * Costs nothing while the declared plural is right, because only a 404 or 403 triggers discovery. The result is kept.
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
    // With narrow roles, the server returns 403 for a wrong plural, not 404.
    if (response.status !== 404 && response.status !== 403) return response;
    const { signal } = call.request;
    let mapper = await mappers.kept(signal);
    const used = known ?? target.resource;
    if (mapper?.forKind(target)?.plural === used) return response;
    // The kind may have been installed after the kept result was fetched.
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

/** Discovery results, refreshed at most once per interval. Undefined if the server does not respond. */
class Mappers {
  readonly #options: KindFinderOptions;
  readonly #againMs: number;
  #readMs = Number.NEGATIVE_INFINITY;
  #failed = false;

  constructor(options: KindFinderOptions) {
    this.#options = options;
    this.#againMs = options.explain ? readAgainMs.explained : readAgainMs.waiting;
  }

  /** Returns the last result, if there is one, without sending a request. */
  async kept(signal: AbortSignal | undefined): Promise<RestMapper | undefined> {
    return this.#readMs === Number.NEGATIVE_INFINITY ? undefined : this.#read(signal);
  }

  /** Returns a current result, at most one interval old. */
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
    // Discovery does not cache failures, so another read would send another request.
    if (this.#failed) return undefined;
    try {
      return await this.#options.discovery.mapper(signal ? { signal } : {});
    } catch {
      // The caller gets the original 404.
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

/** Reads the body to the end; an unread response would hold its connection. */
async function discard(response: { readonly body: AsyncIterable<Uint8Array> }): Promise<void> {
  try {
    for await (const _chunk of response.body);
  } catch {
    // The response is not needed.
  }
}
