import {
  type Clock,
  isNotFound,
  type Kind,
  type KubernetesObject,
  type Random,
  StatusError,
  sleep,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { type ApiEvent, eventName, microTime, objectReference } from './api-event.ts';
import type { EventNote, EventRecorder } from './event-recorder.ts';
import { SpamFilter } from './spam-filter.ts';

const EventKind: Kind<ApiEvent> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
};
const longestQueue = 1_000;
const maxSeries = 4_096;
/** Time in milliseconds without an event after which a series has ended; the next event starts a new series. */
const seriesEndMs = 6 * 60_000;
/** Minimum interval between writes of a growing series, in milliseconds. */
const seriesWriteMs = 60_000;
const tries = 5;
/**
 * Number of concurrent writers; several, because an event that cannot be written is retried for seconds and must not
 * delay other events.
 */
const writersAtOnce = 8;

export interface ApiEventRecorderOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Name of the machine or pod; together with the controller's name, it identifies the reporter. */
  readonly host: string;
}

interface Series {
  event: ApiEvent;
  count: number;
  lastMs: number;
  writtenMs: number;
  written: boolean;
}

/**
 * Writes events from one bounded queue in the background; the events of one series are written in order. Mirrors client-go's
 * `tools/events`, with a limit per object.
 */
export class ApiEventRecorder {
  readonly #options: ApiEventRecorderOptions;
  readonly #series = new Map<string, Series>();
  readonly #queue = new Set<Series>();
  readonly #spam: SpamFilter;
  readonly #stop = new AbortController();
  /** Series that are being written. */
  readonly #writing = new Set<Series>();
  readonly #writers = new Set<Promise<void>>();
  #writersAtWork = 0;
  #lastMs = 0;
  #dropped = 0;

  constructor(options: ApiEventRecorderOptions) {
    this.#options = options;
    this.#spam = new SpamFilter(options.clock);
  }

  /**
   * Returns a recorder that reports as the given controller. Events are about `regarding` unless they name another
   * object.
   */
  for(controller: string, regarding: KubernetesObject | undefined): EventRecorder {
    return { record: (note) => this.#record(note, { controller, regarding: note.regarding ?? regarding }) };
  }

  /** Writes pending events until done or until `signal` is aborted, then stops. */
  async stop(signal: AbortSignal): Promise<void> {
    if (signal.aborted) this.#stop.abort();
    else signal.addEventListener('abort', () => this.#stop.abort(), { once: true });
    for (const series of this.#series.values())
      if (series.count > 1 && series.writtenMs < series.lastMs) this.#enqueue(series);
    await Promise.all(this.#writers);
    this.#stop.abort();
  }

  #record(
    note: EventNote,
    about: { readonly controller: string; readonly regarding: KubernetesObject | undefined },
  ): void {
    const { regarding, controller } = about;
    const { clock, log } = this.#options;
    if (this.#stop.signal.aborted) return;
    if (!regarding) {
      log.warn('cannot record an event without an object; pass "regarding"', {
        event: logEvents.eventUnrelated,
        controller,
        reason: note.reason,
      });
      return;
    }
    if (!this.#spam.allows(`${controller}/${regarding.metadata.uid ?? regarding.metadata.name}`)) return;
    const key = seriesKey(note, { regarding, controller });
    const now = clock.monotonic();
    const known = this.#series.get(key);
    if (known && now - known.lastMs < seriesEndMs) {
      known.count++;
      known.lastMs = now;
      if (known.count === 2 || now - known.writtenMs >= seriesWriteMs) this.#enqueue(known);
      return;
    }
    const series: Series = {
      event: this.#event(note, { regarding, controller }),
      count: 1,
      lastMs: now,
      writtenMs: now,
      written: false,
    };
    this.#series.delete(key);
    this.#series.set(key, series);
    if (this.#series.size > maxSeries) this.#series.delete(this.#series.keys().next().value ?? '');
    this.#enqueue(series);
  }

  #event(note: EventNote, about: { readonly controller: string; readonly regarding: KubernetesObject }): ApiEvent {
    const { random, host } = this.#options;
    const { regarding, controller } = about;
    const ms = note.atMs ?? this.#now();
    const namespace = regarding.metadata.namespace ?? 'default';
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: eventName(regarding.metadata.name ?? '', { ms, random }), namespace },
      eventTime: microTime(ms),
      type: note.type ?? 'Normal',
      reason: note.reason.slice(0, 128),
      action: (note.action ?? note.reason).slice(0, 128),
      note: cutBytes(note.note, 1_024),
      reportingController: controller,
      reportingInstance: `${controller}-${host}`.slice(0, 128),
      regarding: objectReference(regarding),
      ...(note.related && { related: objectReference(note.related) }),
    };
  }

  /**
   * Returns a time that no other event has, because kubectl sorts the events of one millisecond by their names, which
   * begin with the time.
   */
  #now(): number {
    this.#lastMs = Math.max(this.#options.clock.now(), this.#lastMs + 0.001);
    return this.#lastMs;
  }

  #enqueue(series: Series): void {
    if (this.#queue.size >= longestQueue) {
      if (this.#dropped++ % longestQueue === 0)
        this.#options.log.warn('the event queue is full; dropping events', {
          event: logEvents.eventsDropped,
          dropped: this.#dropped,
        });
      return;
    }
    this.#queue.add(series);
    // The writer of an earlier event of the series writes this event too.
    if (this.#writersAtWork >= writersAtOnce || this.#writing.has(series)) return;
    const writer = this.#work();
    this.#writers.add(writer);
    void writer.finally(() => this.#writers.delete(writer));
  }

  async #work(): Promise<void> {
    this.#writersAtWork++;
    for (let series = this.#next(); series; series = this.#next()) {
      this.#queue.delete(series);
      this.#writing.add(series);
      await this.#write(series);
      this.#writing.delete(series);
    }
    // Decrement in the same turn in which no series was found, so that a newly queued event cannot be missed.
    this.#writersAtWork--;
  }

  #next(): Series | undefined {
    if (this.#stop.signal.aborted) return undefined;
    for (const series of this.#queue) if (!this.#writing.has(series)) return series;
    return undefined;
  }

  /** Retries a few times; an event that cannot be written is logged and dropped. */
  async #write(series: Series): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stop;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        series.writtenMs = clock.monotonic();
        await this.#send(series, signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const fatal = error instanceof StatusError && error.httpStatus < 500 && error.httpStatus !== 429;
        if (fatal || attempt >= tries) {
          // Each deletion of a namespace causes such events.
          const level = isNamespaceTerminating(error) ? 'debug' : 'warn';
          log[level]('cannot write an event', {
            event: logEvents.eventFailed,
            reason: series.event.reason,
            apiEvent: series.event.metadata,
            error,
          });
          return;
        }
        await sleep(clock, { ms: 1_000 * 2 ** (attempt - 1), signal }).catch(() => {});
      }
    }
  }

  async #send(series: Series, signal: AbortSignal): Promise<void> {
    const { client, clock, random } = this.#options;
    const events = client.resource(EventKind);
    const { name = '', namespace = '' } = series.event.metadata;
    if (series.written) {
      const body = { series: { count: series.count, lastObservedTime: microTime(clock.now()) } };
      try {
        await events.patch({ name, namespace }, { type: 'merge', body }, { signal });
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
        // The event has expired; continue the series in a new event.
        const regarding = series.event.regarding.name ?? '';
        series.event = {
          ...series.event,
          ...body,
          metadata: { name: eventName(regarding, { ms: this.#now(), random }), namespace },
        };
      }
    }
    const { count } = series;
    const grown = count > 1 ? { series: { count, lastObservedTime: microTime(clock.now()) } } : {};
    await events.create({ ...series.event, ...grown }, { signal });
    series.written = true;
  }
}

/**
 * Returns the key of an event's series. Excludes the note, so events that differ only in their note belong to one
 * series; set `series` to separate them.
 */
function seriesKey(
  note: EventNote,
  about: { readonly controller: string; readonly regarding: KubernetesObject },
): string {
  const { regarding, controller } = about;
  const id = (object: KubernetesObject | undefined): string =>
    object
      ? `${object.apiVersion}/${object.kind}/${object.metadata.namespace}/${object.metadata.name}/${object.metadata.uid}`
      : '';
  return [
    note.type ?? 'Normal',
    note.action ?? note.reason,
    note.reason,
    controller,
    id(regarding),
    id(note.related),
    note.series ?? '',
  ].join('\n');
}

function cutBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  // Avoid cutting in the middle of a character.
  let end = limit - 3;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}

function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}
