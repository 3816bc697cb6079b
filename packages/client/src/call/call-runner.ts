import { type Clock, type ObjectKey, type Random, sleep } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { CallTarget, ClientCall, ClientInterceptor, Verb } from '../interceptor.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
import { failedResponse } from './failed-response.ts';
import type { RateLimit } from './rate-limit.ts';
import { readJson } from './response-body.ts';
import { mayRetryResponse, mayRetryTransport, type ResolvedRetryPolicy, retryAfterMs } from './retry-policy.ts';
import { type ApiWarning, parseWarnings, WarningFilter } from './warning.ts';
import type { WriteObserver, WriteOutcome } from './write-observer.ts';

/** First delay after a lost connection; doubles, with jitter. Long enough for a new session, short enough to go unnoticed. */
const transportBackoffMs = 50;

export interface CallRunnerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly interceptors: readonly ClientInterceptor[];
  readonly retry: ResolvedRetryPolicy;
  readonly headers: Readonly<Record<string, string>>;
  readonly rateLimit?: RateLimit | undefined;
  readonly onWarning?: ((warning: ApiWarning, call: ClientCall) => void) | undefined;
  readonly writeObservers?: readonly WriteObserver[] | undefined;
}

/** A call before its first attempt. */
export interface CallSpec {
  readonly verb: Verb;
  readonly target?: CallTarget;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly longRunning?: boolean | undefined;
  /**
   * True to switch protocols; the response is then a 101. Never retried once sent, because the command may have run.
   */
  readonly upgrade?: boolean | undefined;
  /** True for a dry run: the server stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** The object being written, if the path does not contain its name. */
  readonly key?: ObjectKey | undefined;
  /** A UID precondition of a delete. */
  readonly uid?: string | undefined;
}

/**
 * Runs a call through interceptors, rate limit, retries and error decoding. All requests of a client go through this
 * class.
 */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  readonly #warnings: WarningFilter;

  constructor(options: CallRunnerOptions, warnings: WarningFilter = new WarningFilter()) {
    this.#options = options;
    this.#warnings = warnings;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get random(): Random {
    return this.#options.random;
  }

  /**
   * Returns a runner with the given interceptors and observers. Shares everything else, including the warnings already
   * reported.
   */
  derived(options: Pick<CallRunnerOptions, 'interceptors' | 'writeObservers'>): CallRunner {
    return new CallRunner({ ...this.#options, ...options }, this.#warnings);
  }

  /** Runs a call to completion: parses the response as JSON and, for a write, notifies the observers. */
  async json(spec: CallSpec): Promise<unknown> {
    const observers = this.#notify(spec);
    let sent = false;
    const onSent = (): void => {
      sent = true;
    };
    try {
      const response = await this.run(spec, observers.length > 0 ? onSent : undefined);
      const reply = await readJson(response, `${spec.method} ${spec.path}`);
      for (const observe of observers) observe({ response: reply });
      return reply;
    } catch (error) {
      for (const observe of observers) observe({ error, sent });
      throw error;
    }
  }

  /**
   * Resolves with a 2xx response without reading its body; throws any other response, and any failure of the transport,
   * as an error. Calls `onSent` for each attempt that all interceptors and gates have passed on to a connection.
   */
  async run(spec: CallSpec, onSent?: () => void): Promise<TransportResponse> {
    const { rateLimit, retry, clock } = this.#options;
    const request = this.#requestOf(spec);
    let transportRetries = 0;
    for (let attempt = 1; ; attempt++) {
      spec.signal?.throwIfAborted();
      await rateLimit?.take(spec.signal);
      const call: ClientCall = {
        verb: spec.verb,
        attempt,
        request,
        ...(spec.target ? { target: spec.target } : {}),
      };
      let response: TransportResponse;
      try {
        response = await this.#dispatch(call, { index: 0, onSent });
      } catch (error) {
        if (transportRetries >= retry.maxTransportRetries || !mayRetryTransport(error, retryMethod(spec))) throw error;
        await sleep(clock, { ms: this.#backoff(transportRetries++), signal: spec.signal });
        continue;
      }
      if ((response.status >= 200 && response.status < 300) || response.upgraded) {
        this.#warn(call, response);
        return response;
      }
      const waitMs = this.#waitBeforeRetry(spec, { response, attempt });
      const error = await failedResponse(call, response);
      if (waitMs === undefined) throw error;
      await sleep(clock, { ms: waitMs, signal: spec.signal });
    }
  }

  #notify({
    verb,
    target,
    method,
    dryRun,
    uid,
    key = target?.key,
  }: CallSpec): readonly ((outcome: WriteOutcome) => void)[] {
    const { writeObservers = [] } = this.#options;
    if (writeObservers.length === 0 || dryRun || !target || method === 'GET') return [];
    const write = { verb, target, ...defined({ key, uid }) };
    return writeObservers.flatMap((observer) => observer(write) ?? []);
  }

  #requestOf(spec: CallSpec): TransportRequest {
    return {
      method: spec.method,
      path: spec.path,
      headers: { ...this.#options.headers, ...spec.headers },
      ...(spec.body ? { body: spec.body } : {}),
      ...(spec.signal ? { signal: spec.signal } : {}),
      ...(spec.longRunning ? { longRunning: true } : {}),
      ...(spec.upgrade ? { upgrade: true } : {}),
    };
  }

  #dispatch(
    call: ClientCall,
    on: { readonly index: number; readonly onSent: (() => void) | undefined },
  ): Promise<TransportResponse> {
    const { index, onSent } = on;
    const interceptor = this.#options.interceptors[index];
    if (interceptor) return interceptor(call, (next) => this.#dispatch(next, { index: index + 1, onSent }));
    const { request } = call;
    if (!onSent) return this.#options.transport.request(request);
    const gate = (): void => {
      request.gate?.();
      onSent();
    };
    return this.#options.transport.request({ ...request, gate });
  }

  #waitBeforeRetry(
    spec: CallSpec,
    { response, attempt }: { readonly response: TransportResponse; readonly attempt: number },
  ): number | undefined {
    const { retry, clock } = this.#options;
    if (attempt > retry.maxRetryAfter || !mayRetryResponse(response.status, retryMethod(spec))) return undefined;
    const waitMs = retryAfterMs(response.headers['retry-after'], clock.now());
    return waitMs === undefined || waitMs > retry.maxWaitMs ? undefined : waitMs;
  }

  #backoff(retries: number): number {
    return transportBackoffMs * 2 ** retries * (1 + this.#options.random.next());
  }

  #warn(call: ClientCall, response: TransportResponse): void {
    const { onWarning } = this.#options;
    const header = response.headers['warning'];
    if (!onWarning || header === undefined) return;
    for (const warning of parseWarnings(header)) {
      if (this.#warnings.isNew(warning)) onWarning(warning, call);
    }
  }
}

/**
 * Returns the method that decides whether a retry is safe. A request to switch protocols counts as a write, because it
 * starts something, although it is a GET.
 */
function retryMethod({ upgrade, method }: CallSpec): string {
  return upgrade ? 'POST' : method;
}
