import { type Clock, formatTime, type KubernetesObject, type Random } from '@kubewright/apimachinery';
import { Event } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger, RequestContext } from '@kubewright/runtime';

/** What happened to an object. */
export interface CoreEventNote {
  readonly about: KubernetesObject;
  /** @defaultValue 'Normal' */
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

const mostKnown = 4_096;
const mostWaiting = 1_000;
const burst = 25;
const refillMs = 300_000;

/**
 * Writes core/v1 events as the built-in controllers do: one object for each text, counted up when it comes again, and
 * at most 25 about one object, then one each five minutes. Mirrors client-go's `tools/record`; the recorder of the
 * runtime joins texts of one reason, which would hide one of "Scaled up" and "Scaled down". Never fails a reconcile.
 */
export class CoreEventRecorder {
  readonly #component: string;
  readonly #known = new Map<string, Event>();
  readonly #tokens = new Map<string, { tokens: number; atMs: number }>();
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(component: string) {
    this.#component = component;
  }

  record(ctx: Pick<RequestContext, 'client' | 'clock' | 'random' | 'log'>, note: CoreEventNote): void {
    // What is kept must not hold on to a reconcile that is over: its signal, its caches.
    const { client, clock, random, log } = ctx;
    if (this.#waiting >= mostWaiting || !this.#allows(note.about.metadata.uid ?? '', clock)) return;
    this.#waiting++;
    this.#last = this.#last
      .then(() => this.#write({ client, clock, random }, note))
      .catch((error: unknown) => noteFailure(log, { note, error }))
      .finally(() => void this.#waiting--);
  }

  /** Resolves when what was recorded so far is written. */
  idle(): Promise<void> {
    return this.#last;
  }

  async #write(parts: Parts, note: CoreEventNote): Promise<void> {
    const { client, clock } = parts;
    const key = [note.about.metadata.uid, note.type, note.reason, note.message].join('\n');
    const known = this.#known.get(key);
    const events = client.resource(Event);
    let event: Event;
    if (known) {
      const { name = '', namespace = '' } = known.metadata;
      const body = { count: (known.count ?? 1) + 1, lastTimestamp: formatTime(clock.now()) };
      event = await events
        .patch({ name, namespace }, { type: 'merge', body })
        // Expired, or its namespace was emptied: it starts over.
        .catch(() => events.create(this.#event(parts, note)));
    } else {
      event = await events.create(this.#event(parts, note));
    }
    this.#known.delete(key);
    this.#known.set(key, event);
    if (this.#known.size > mostKnown) this.#known.delete(this.#known.keys().next().value ?? '');
  }

  #event({ clock, random }: Parts, note: CoreEventNote): Event {
    const { about, type = 'Normal', reason, message } = note;
    const { name = '', namespace, uid, resourceVersion } = about.metadata;
    const at = formatTime(clock.now());
    const chance = Math.floor(random.next() * 0x1000000);
    const suffix = (clock.now() * 0x1000000 + chance).toString(16).slice(-16).padStart(16, '0');
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name.slice(0, 236)}.${suffix}`, namespace: namespace ?? 'default' },
      involvedObject: {
        kind: about.kind,
        apiVersion: about.apiVersion,
        name,
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      },
      reason,
      message: message.slice(0, 1_024),
      source: { component: this.#component },
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
      type,
      reportingComponent: this.#component,
      reportingInstance: '',
    };
  }

  #allows(uid: string, clock: Clock): boolean {
    const now = clock.monotonic();
    const bucket = this.#tokens.get(uid) ?? { tokens: burst, atMs: now };
    this.#tokens.delete(uid);
    this.#tokens.set(uid, bucket);
    if (this.#tokens.size > mostKnown) this.#tokens.delete(this.#tokens.keys().next().value ?? '');
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.atMs) / refillMs);
    bucket.atMs = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}

interface Parts {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
}

function noteFailure(log: Logger, { note, error }: { readonly note: CoreEventNote; readonly error: unknown }): void {
  log.debug('cannot write an event', { reason: note.reason, message: note.message, error });
}
