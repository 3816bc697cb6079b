import type { Worker } from 'node:worker_threads';
import type { Clock } from '@kubewright/apimachinery';
import { Few } from '../collection/few.ts';
import { LineLogger } from '../log/line-logger.ts';
import type { Logger } from '../log/logger.ts';
import type { Activity, ActivityMark } from './activity.ts';
import { watchdogSource } from './watchdog-source.ts';

/** How often the loop shows that it is alive, in milliseconds. */
const beatMs = 100;
/**
 * The thread starts with the first reconcile, or after this time, in milliseconds. Starting it takes 60 to 80 ms of processor
 * time, as much as a quarter of the first listing of 20,000 objects: on a small machine that would wait for it.
 */
const threadDelayMs = 10_000;
/** Room for the name of whoever runs, in bytes. */
const nameBytes = 512;

interface Who {
  readonly controller: string;
  readonly key: string;
}

/** Options of a {@link Watchdog}. */
export interface WatchdogOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** Silence of the event loop that is reported, in milliseconds. @defaultValue 1_000 */
  readonly limitMs?: number;
  /** Told by the worker thread, on stderr, while the loop is still held. @defaultValue true */
  readonly tellAtOnce?: boolean;
}

/**
 * Notices when the event loop is held, and names the reconcile that ran last. A worker thread watches, for the held thread
 * cannot; it writes to stderr at once, and when the loop is free again a log line follows.
 */
export class Watchdog implements AsyncDisposable {
  readonly activity: Activity;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #limitMs: number;
  /** [0] beats so far, [1] length of the name. */
  readonly #shared: Int32Array;
  readonly #name: Uint8Array;
  readonly #encoder = new TextEncoder();
  readonly #workerData: Readonly<Record<string, unknown>>;
  readonly #threadDueMs: number;
  #worker: Worker | undefined;
  readonly #active = new Few<Who>();
  #last: Who | undefined;
  /** Since when {@link #last} runs, or since the last beat. */
  #lastSinceMs = 0;
  /** Who ran longest since the last beat, though it may have ended since. */
  #longest: { readonly who: Who; readonly ms: number } | undefined;
  #timer: Disposable;
  #lastBeatMs: number;
  #ended = false;

  constructor(options: WatchdogOptions) {
    const { log, clock, limitMs = 1_000, tellAtOnce = true } = options;
    this.#log = log.named('watchdog');
    this.#clock = clock;
    this.#limitMs = limitMs;
    const buffer = new SharedArrayBuffer(8 + nameBytes);
    this.#shared = new Int32Array(buffer, 0, 2);
    this.#name = new Uint8Array(buffer, 8);
    this.activity = { mark: (controller, key) => this.#mark(controller, key) };
    this.#workerData = { buffer, limitMs, tellAtOnce, forPeople: log instanceof LineLogger && log.isForPeople };
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

  /** True once the thread watches; until then a held loop is logged only when it is free again. */
  get hasThread(): boolean {
    return this.#worker !== undefined;
  }

  #startThread(): void {
    // An import would load what threads need at every start, 5 ms, before it is needed.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    this.#worker = new Worker(watchdogSource, { eval: true, workerData: this.#workerData, execArgv: [] });
    this.#worker.on('error', (error) => this.#log.warn('the watchdog thread has ended', { error }));
    this.#worker.unref();
  }

  #mark(controller: string, key: string): ActivityMark {
    const who = { controller, key };
    this.#active.add(who);
    if (!this.#worker && !this.#ended) this.#startThread();
    const resumed = (): void => this.#runs(who);
    resumed();
    return {
      resumed,
      ended: () => {
        this.#active.delete(who);
        if (this.#last !== who) return;
        // Only one is left: what runs next of all reconciles is that one, also after a wait that nobody tells us of.
        const [other] = this.#active;
        this.#runs(this.#active.size === 1 ? other : undefined);
      },
    };
  }

  #runs(who: Who | undefined): void {
    if (this.#last === who) return;
    this.#credit();
    this.#last = who;
    Atomics.store(this.#shared, 1, who ? this.#write(`${who.controller} ${who.key}`) : 0);
  }

  /** Writes whose turn it is for the other thread; answers the length. Names are ASCII, and short: the encoder is for others. */
  #write(text: string): number {
    const name = this.#name;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f || i === nameBytes) return this.#encoder.encodeInto(text.slice(0, nameBytes / 3), name).written;
      name[i] = code;
    }
    return text.length;
  }

  /** Notes for how long the last one has run until now. */
  #credit(): void {
    const now = this.#clock.monotonic();
    const ms = now - this.#lastSinceMs;
    if (this.#last && ms >= (this.#longest?.ms ?? 0)) this.#longest = { who: this.#last, ms };
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
    if (!this.#worker && now >= this.#threadDueMs) this.#startThread();
    // A reconcile that held the loop until its end is over by now: whoever ran longest is named, not whoever ran last.
    this.#credit();
    if (heldMs >= this.#limitMs)
      this.#log.warn('the event loop was held', { heldMs: Math.round(heldMs), ...this.#longest?.who });
    this.#longest = undefined;
    this.#timer = this.#arm();
  }
}
