import { type Clock, formatObjectKey, type Timer } from '@kubewright/apimachinery';
import type { ClientCall, ClientInterceptor } from '@kubewright/client';
import { Few } from '../collection/few.ts';
import type { Logger } from '../log/logger.ts';

/** When a reconcile is first reported as slow, and how long it takes until the second report, in milliseconds. */
const firstMs = 10_000;

/** A reconcile that runs. */
export interface RunningReconcile {
  /** Records the calls that the reconcile waits for. */
  readonly interceptor: ClientInterceptor;
}

class Running implements RunningReconcile {
  readonly startMs: number;
  readonly log: () => Logger;
  /** When it is reported next, and how long after that once more. */
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

  /** The API calls that it waits for. */
  get waitingFor(): readonly string[] {
    const calls = [...(this.#calls ?? [])];
    return calls.length > 0 ? calls.map(nameOf) : ['no call through its client'];
  }
}

/**
 * Reports reconciles that take long, while they do: after 10 s, 20 s, 40 s and so on, with the API calls that they wait for,
 * and again when they end. All reconciles of a controller share one timer.
 */
export class SlowReconciles {
  readonly #clock: Clock;
  readonly #running = new Few<Running>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins to watch a reconcile. The logger is made when there is something to report. */
  begin(log: () => Logger): RunningReconcile {
    const running = new Running(this.#clock.monotonic(), log);
    this.#running.add(running);
    // Not disposed when the reconcile ends in time, which is nearly always: the timer finds out when it fires.
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

/** `update ConfigMap default/a`, or the method and the path where a call is on no resource. */
function nameOf({ verb, target, request }: ClientCall): string {
  if (!target) return `${request.method} ${request.path.split('?', 1)[0]}`;
  const { kind, subresource, key, namespace } = target;
  const where = key ? formatObjectKey(key) : (namespace ?? 'all namespaces');
  return `${verb} ${kind} ${where}${subresource === undefined ? '' : ` ${subresource}`}`;
}
