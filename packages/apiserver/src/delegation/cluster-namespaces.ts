import { type Clock, isNotFound } from '@kubewright/apimachinery';
import type { NamespacePhase } from '../admission/namespace-lifecycle.ts';
import type { ClusterClient } from './cluster-client.ts';
import { DelegationError } from './delegation-error.ts';

/** Time for which a namespace counts as active after a request found it active, in milliseconds. */
const freshMs = 2_000;
const timeoutMs = 10_000;
/** Maximum number of cached namespaces: more than a server writes to within `freshMs`. */
const maxKnown = 10_000;

/** The namespaces of the cluster that an extension API server belongs to. Active namespaces are cached for two seconds. */
export class ClusterNamespaces {
  readonly #client: ClusterClient;
  readonly #clock: Clock;
  /** The time until which each namespace counts as active, oldest first. */
  readonly #active = new Map<string, number>();

  constructor(client: ClusterClient, { clock }: { readonly clock: Clock }) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Returns the phase of a namespace, or undefined if it does not exist.
   *
   * @throws DelegationError (KW5107) if the cluster does not respond
   */
  async phaseOf(namespace: string): Promise<NamespacePhase | undefined> {
    const now = this.#clock.monotonic();
    if ((this.#active.get(namespace) ?? 0) > now) return 'Active';
    const phase = await this.#read(namespace);
    this.#active.delete(namespace);
    if (phase === 'Active') this.#remember(namespace, now + freshMs);
    return phase;
  }

  async #read(namespace: string): Promise<NamespacePhase | undefined> {
    const timeout = new AbortController();
    using _timer = this.#clock.setTimer(timeoutMs, () =>
      timeout.abort(new Error(`no response within ${timeoutMs / 1000} s`)),
    );
    try {
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
      const found = (await this.#client.request({ path, signal: timeout.signal })) as {
        readonly status?: { readonly phase?: string };
      };
      return found.status?.phase === 'Terminating' ? 'Terminating' : 'Active';
    } catch (cause) {
      if (isNotFound(cause)) return undefined;
      throw new DelegationError(
        {
          what: `cannot read the namespace ${namespace}`,
          why: cause instanceof Error ? cause.message : String(cause),
          remedy: 'grant the server the verb get on namespaces; kubewright generate writes the RBAC rule',
        },
        { cause },
      );
    }
  }

  #remember(namespace: string, untilMs: number): void {
    for (const oldest of this.#active.keys()) {
      if (this.#active.size < maxKnown) break;
      this.#active.delete(oldest);
    }
    this.#active.set(namespace, untilMs);
  }
}
