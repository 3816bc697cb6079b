import type Inspector from 'node:inspector';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '@kubewright/apimachinery';
import { SmallSet } from '../collection/small-set.ts';
import { LineLogger } from '../log/line-logger.ts';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import type { Activity, ActivityMark } from './activity.ts';
import { watchdogSource } from './watchdog-source.ts';

/** Interval between heartbeats of the event loop, in milliseconds. */
const beatMs = 100;
/**
 * The thread starts with the first reconcile, or after this time, in milliseconds. Starting the thread takes 60 to 80
 * ms of processor time, as much as a quarter of the initial list of 20,000 objects, and would delay the list on a small
 * machine.
 */
const threadDelayMs = 10_000;
/** Space for the name of the running reconcile, in bytes. */
const nameBytes = 512;

interface ActiveReconcile {
  readonly controller: string;
  readonly key: string;
}

export interface WatchdogOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** Time without a beat after which the event loop is reported as blocked, in milliseconds. @defaultValue 1_000 */
  readonly limitMs?: number;
  /** True if the worker thread reports on stderr while the loop is still blocked. @defaultValue true */
  readonly reportsImmediately?: boolean;
}

/**
 * Detects a blocked event loop, and names the reconcile that ran last. A worker thread watches, because the blocked
 * thread cannot. The worker writes to stderr immediately, with the line of code that runs; a log line follows once the
 * loop is free again.
 */
export class Watchdog implements AsyncDisposable {
  readonly activity: Activity;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #limitMs: number;
  /** [0] number of beats so far, [1] length of the name, [2] 1 if a debugger is attached. */
  readonly #shared: Int32Array;
  readonly #name: Uint8Array;
  readonly #encoder = new TextEncoder();
  readonly #workerData: Readonly<Record<string, unknown>>;
  readonly #threadDueMs: number;
  #worker: Worker | undefined;
  #inspector: typeof Inspector | undefined;
  readonly #active = new SmallSet<ActiveReconcile>();
  #last: ActiveReconcile | undefined;
  /** Time since which {@link #last} has been running, or the time of the last beat. */
  #lastSinceMs = 0;
  /** The reconcile that ran longest since the last beat, even if it has ended. */
  #longest: { readonly reconcile: ActiveReconcile; readonly ms: number } | undefined;
  #timer: Disposable;
  #lastBeatMs: number;
  #ended = false;

  constructor(options: WatchdogOptions) {
    const { log, clock, limitMs = 1_000, reportsImmediately = true } = options;
    this.#log = log.named('watchdog');
    this.#clock = clock;
    this.#limitMs = limitMs;
    const buffer = new SharedArrayBuffer(12 + nameBytes);
    this.#shared = new Int32Array(buffer, 0, 3);
    this.#name = new Uint8Array(buffer, 12);
    this.activity = { mark: (controller, key) => this.#mark(controller, key) };
    this.#workerData = { buffer, limitMs, reportsImmediately, forPeople: log instanceof LineLogger && log.isForPeople };
    this.#lastBeatMs = clock.monotonic();
    this.#threadDueMs = this.#lastBeatMs + threadDelayMs;
    this.#timer = this.#arm();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer[Symbol.dispose]();
    await this.#worker?.terminate();
  }

  /** True once the thread is watching. Without the thread, a blocked loop is logged only after it is free again. */
  get hasThread(): boolean {
    return this.#worker !== undefined;
  }

  #startThread(): void {
    // An import would load the thread modules at every start, taking 5 ms, before they are needed.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    this.#worker = new Worker(watchdogSource, { eval: true, workerData: this.#workerData, execArgv: [] });
    this.#worker.on('error', (error) =>
      this.#log.warn('the watchdog thread stopped', { event: logEvents.watchdogStopped, error }),
    );
    this.#worker.unref();
  }

  /**
   * Records whether a debugger is attached. Two debuggers would interfere with each other, so the thread does not pause
   * a program that is being debugged.
   */
  #noticeDebugger(): void {
    // `undefined` in builds of Node.js without a debugger.
    this.#inspector ??= process.features.inspector ? process.getBuiltinModule('node:inspector') : undefined;
    Atomics.store(this.#shared, 2, this.#inspector?.url() === undefined ? 0 : 1);
  }

  #mark(controller: string, key: string): ActivityMark {
    const reconcile = { controller, key };
    this.#active.add(reconcile);
    if (!this.#worker && !this.#ended) this.#startThread();
    const resumed = (): void => this.#runs(reconcile);
    resumed();
    return {
      resumed,
      ended: () => {
        this.#active.delete(reconcile);
        if (this.#last !== reconcile) return;
        // Only one reconcile is left, so it must be the next reconcile to run, even after a wait that is not reported
        // to the watchdog.
        const [other] = this.#active;
        this.#runs(this.#active.size === 1 ? other : undefined);
      },
    };
  }

  #runs(reconcile: ActiveReconcile | undefined): void {
    if (this.#last === reconcile) return;
    this.#credit();
    this.#last = reconcile;
    Atomics.store(this.#shared, 1, reconcile ? this.#write(`${reconcile.controller} ${reconcile.key}`) : 0);
  }

  /**
   * Writes the name of the running reconcile for the other thread and returns its length. Nearly all names are short and ASCII;
   * the encoder handles all other names.
   */
  #write(text: string): number {
    const name = this.#name;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f || i === nameBytes) return this.#encoder.encodeInto(text.slice(0, nameBytes / 3), name).written;
      name[i] = code;
    }
    return text.length;
  }

  /** Records the running time of the last reconcile so far. */
  #credit(): void {
    const now = this.#clock.monotonic();
    const ms = now - this.#lastSinceMs;
    if (this.#last && ms >= (this.#longest?.ms ?? 0)) this.#longest = { reconcile: this.#last, ms };
    this.#lastSinceMs = now;
  }

  #arm(): Disposable {
    return this.#clock.setTimer(beatMs, () => this.#beat(), { unref: true });
  }

  #beat(): void {
    const now = this.#clock.monotonic();
    const heldMs = now - this.#lastBeatMs - beatMs;
    this.#lastBeatMs = now;
    Atomics.add(this.#shared, 0, 1);
    if (this.#worker) this.#noticeDebugger();
    if (!this.#worker && now >= this.#threadDueMs) this.#startThread();
    // A reconcile that blocked the loop until its end is already over, so name the reconcile that ran longest, not the
    // last reconcile.
    this.#credit();
    if (heldMs >= this.#limitMs)
      this.#log.warn('the event loop was blocked', {
        event: logEvents.eventLoopBlocked,
        heldMs: Math.round(heldMs),
        ...this.#longest?.reconcile,
      });
    this.#longest = undefined;
    this.#timer = this.#arm();
  }
}
