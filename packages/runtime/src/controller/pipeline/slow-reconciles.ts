import { type Clock, formatObjectKey, type Timer } from '@kubewright/apimachinery';
import type { ClientCall, ClientInterceptor } from '@kubewright/client';
import { Few } from '../../collection/few.ts';
import type { Logger } from '../../log/logger.ts';

/** Time until the first report of a slow reconcile, and from there to the second report, in milliseconds. */
const firstMs = 10_000;

/** A running reconcile. */
export interface RunningReconcile {
  /** Records the calls the reconcile waits for. */
  readonly interceptor: ClientInterceptor;
}

class Running implements RunningReconcile {
  readonly startMs: number;
  readonly log: () => Logger;
  /** Time of the next report, and the interval to the one after it. */
  dueMs: number;
  intervalMs: number = firstMs;
  isReported = false;
  #calls: Few<ClientCall> | undefined;

  constructor(startMs: number, log: () => Logger) {
    this.startMs = startMs;
    this.dueMs = startMs + firstMs;
    this.log = log;
  }

  get interceptor(): ClientInterceptor {
    this.#calls ??= new Few();
    const calls = this.#calls;
    return async (call, next) => {
      calls.add(call);
      try {
        return await next(call);
      } finally {
        calls.delete(call);
      }
    };
  }

  /** The API calls the reconcile waits for. */
  get waitingFor(): readonly string[] {
    const calls = [...(this.#calls ?? [])];
    return calls.length > 0 ? calls.map(nameOf) : ['no call through its client'];
  }
}

/**
 * Reports slow reconciles while they run: after 10 s, 20 s, 40 s and so on, with the API calls they wait for, and again when they
 * end. All reconciles of a controller share one timer.
 */
export class SlowReconciles {
  readonly #clock: Clock;
  readonly #running = new Few<Running>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts tracking a reconcile. The logger is created only when there is something to report. */
  begin(log: () => Logger): RunningReconcile {
    const running = new Running(this.#clock.monotonic(), log);
    this.#running.add(running);
    // Not disposed when the reconcile ends in time, which is nearly always the case: the timer checks when it fires.
    this.#timer ??= this.#arm(firstMs);
    return running;
  }

  ended(running: RunningReconcile): void {
    if (!(running instanceof Running)) return;
    this.#running.delete(running);
    if (!running.isReported) return;
    const tookSeconds = this.#secondsOf(running);
    running.log().info('the slow reconcile has ended', { tookSeconds });
  }

  /** Stops reporting. */
  stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #arm(delayMs: number): Timer {
    return this.#clock.setTimer(delayMs, () => this.#report(), { unref: true });
  }

  #report(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonic();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const running of this.#running) {
      if (running.dueMs <= nowMs) {
        const { waitingFor } = running;
        running.log().warn('still reconciling', { forSeconds: this.#secondsOf(running), waitingFor });
        running.isReported = true;
        running.dueMs = nowMs + running.intervalMs;
        running.intervalMs *= 2;
      }
      nextMs = Math.min(nextMs, running.dueMs);
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#timer = this.#arm(nextMs - nowMs);
  }

  #secondsOf({ startMs }: Running): number {
    return Math.round((this.#clock.monotonic() - startMs) / 1000);
  }
}

/** Formats a call as `update ConfigMap default/a`, or as method and path if it has no resource. */
function nameOf({ verb, target, request }: ClientCall): string {
  if (!target) return `${request.method} ${request.path.split('?', 1)[0]}`;
  const { kind, subresource, key, namespace } = target;
  const where = key ? formatObjectKey(key) : (namespace ?? 'all namespaces');
  return `${verb} ${kind} ${where}${subresource === undefined ? '' : ` ${subresource}`}`;
}
