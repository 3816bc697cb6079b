import { type Clock, sleep, systemClock } from '@kubewright/apimachinery';
import { type ClientCall, type ClientInterceptor, TransportError, type TransportResponse } from '@kubewright/client';
import { type CallPattern, describePattern, selects } from './call-pattern.ts';
import { DroppableWatch } from './droppable-watch.ts';
import { conflictResponse, failureResponse } from './fault-response.ts';

type Next = (call: ClientCall) => Promise<TransportResponse>;

interface Fault {
  readonly what: string;
  readonly pattern: CallPattern;
  readonly matches: (call: ClientCall) => boolean;
  readonly act: (call: ClientCall, next: Next) => Promise<TransportResponse>;
  left: number;
}

/**
 * Faults in a client's calls, for tests of how an operator copes with them. Each fault waits for the next call that matches
 * its pattern, and occurs once, or `times` times. Faults with the same pattern occur one after the other.
 *
 * The client's own retries also pass through the faults: the client retries lost connections and failed reads.
 *
 * @example
 * ```ts
 * const faults = new Faults();
 * const flaky = client.intercepted(faults.interceptor);
 * faults.failNext({ verb: 'apply', kind: 'ConfigMap' }, { status: 500 });
 * faults.delay({ verb: 'get' }, { ms: 2_000 });
 * ```
 */
export class Faults {
  /**
   * An interceptor that applies the faults to a client's calls. Add it with `client.intercepted(faults.interceptor)`;
   * `TestOperator` adds the interceptor for its `faults`.
   */
  readonly interceptor: ClientInterceptor = (call, next) => this.#pass(call, next);
  readonly #clock: Clock;
  #faults: readonly Fault[] = [];
  readonly #watches = new Set<DroppableWatch>();

  /** @param options - `clock`: measures delays. @defaultValue the system clock */
  constructor(options: { readonly clock?: Clock } = {}) {
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * The faults that have not occurred yet, such as `failNext apply ConfigMap`. At the end of a test, the list should be
   * empty.
   */
  get pending(): readonly string[] {
    return this.#faults.map(({ what, pattern }) => `${what} ${describePattern(pattern)}`);
  }

  /**
   * Fails the next matching call without sending it.
   *
   * @param options - `status`: the code of the response. `lost: true` instead sends the call, then loses the connection before
   * the response arrives, so that a write happens without the client knowing. @defaultValue status 500, once
   */
  failNext(
    pattern: CallPattern,
    options: { readonly status?: number; readonly lost?: boolean; readonly times?: number } = {},
  ): void {
    const { status = 500, lost = false, times } = options;
    this.#add('failNext', pattern, {
      times,
      act: (call, next) => (lost ? losingResponse(call, next) : Promise.resolve(failureResponse(status))),
    });
  }

  /** Rejects the next matching write with a conflict, as if someone else had changed the object. */
  conflict(pattern: CallPattern, options: { readonly times?: number } = {}): void {
    const { times } = options;
    this.#add('conflict', pattern, { times, writesOnly: true, act: async (call) => conflictResponse(call) });
  }

  /**
   * Delays the next matching call.
   *
   * @param options - `ms`: the delay, in milliseconds; `times`: the number of calls, 1 by default.
   */
  delay(pattern: CallPattern, options: { readonly ms: number; readonly times?: number }): void {
    const { ms, times } = options;
    this.#add('delay', pattern, {
      times,
      act: async (call, next) => {
        await sleep(this.#clock, { ms, signal: call.request.signal });
        return next(call);
      },
    });
  }

  /**
   * Drops the connection of each open watch that matches, and returns their number. The client then resumes the watch.
   * To make the client list again, fail the resumed watch as well: `failNext({ verb: 'watch', kind }, { status: 410
   * })`.
   */
  dropWatch(pattern: CallPattern = {}): number {
    const dropped = [...this.#watches].filter(({ call }) => selects(pattern, call));
    for (const watch of dropped) watch.drop();
    return dropped.length;
  }

  #add(
    what: string,
    pattern: CallPattern,
    options: { readonly times: number | undefined; readonly writesOnly?: boolean; readonly act: Fault['act'] },
  ): void {
    const { times = 1, act, writesOnly = false } = options;
    const matches = (call: ClientCall): boolean => selects(pattern, call) && !(writesOnly && isRead(call));
    this.#faults = [...this.#faults, { what, pattern, matches, act, left: times }];
  }

  #pass(call: ClientCall, next: Next): Promise<TransportResponse> {
    const fault = this.#faults.find(({ matches }) => matches(call));
    if (!fault) return this.#open(call, next);
    fault.left--;
    if (fault.left <= 0) this.#faults = this.#faults.filter((each) => each !== fault);
    return fault.act(call, (sent) => this.#open(sent, next));
  }

  /** Sends a call. The response of a watch can be dropped later. */
  async #open(call: ClientCall, next: Next): Promise<TransportResponse> {
    if (call.verb !== 'watch') return next(call);
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, ...(call.request.signal ? [call.request.signal] : [])]);
    const response = await next({ ...call, request: { ...call.request, signal } });
    if (response.status >= 300) return response;
    const watch = new DroppableWatch(call, { response, stop, ended: (ended) => this.#watches.delete(ended) });
    this.#watches.add(watch);
    return watch.response;
  }
}

function isRead({ verb }: ClientCall): boolean {
  return verb === 'get' || verb === 'list' || verb === 'watch';
}

async function losingResponse(call: ClientCall, next: Next): Promise<TransportResponse> {
  const { body } = await next(call);
  for await (const _piece of body) {
    // Read to the end to free the connection.
  }
  throw new TransportError(
    'KW2003',
    { what: 'the connection was lost', why: 'an injected fault dropped the response' },
    { retryable: true },
  );
}
