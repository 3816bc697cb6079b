import type { Clock, KubernetesObject, Stored } from '@kubewright/apimachinery';
import { Event } from '@kubewright/apimachinery/core/v1';
import { defined, formatTime } from '@kubewright/apimachinery/internal';
import type { RequestContext } from '@kubewright/runtime';
import { clusterLogEvents } from '../log/cluster-log-events.ts';

/** An event to record about an object. */
export interface CoreEventNote {
  readonly about: KubernetesObject & { readonly metadata: { readonly name: string } };
  /** @defaultValue 'Normal' */
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

const maxKnown = 4_096;
const burst = 25;
const refillMs = 300_000;

/**
 * Writes core/v1 events as the built-in controllers do. Each distinct event is one object, whose count grows when the
 * event recurs. At most 25 events are written about one object, then one every five minutes. Mirrors client-go's
 * `tools/record`. The runtime's recorder merges events by reason, so it would drop either "Scaled up" or "Scaled down".
 * A failed write never fails the reconcile.
 */
export class CoreEventRecorder {
  readonly #component: string;
  readonly #known = new Map<string, Stored<Event>>();
  readonly #tokens = new Map<string, { tokens: number; atMs: number }>();
  /**
   * The pending writes of each reconcile, by its signal. They must finish before the reconcile ends, because the
   * reconcile's client rejects later writes.
   */
  readonly #writing = new WeakMap<AbortSignal, Promise<void>>();

  constructor(component: string) {
    this.#component = component;
  }

  /** Starts writing an event. Run the reconcile in {@link CoreEventRecorder.during}, which waits for the write. */
  record(ctx: Context, note: CoreEventNote): void {
    if (!this.#allows(subjectOf(note), ctx.clock)) return;
    const before = this.#writing.get(ctx.signal) ?? Promise.resolve();
    const write = before
      .then(() => this.#write(ctx, note))
      .catch((error: unknown) => {
        ctx.log.info('Unable to write event (will not retry!)', {
          event: clusterLogEvents.eventFailed,
          reason: note.reason,
          note: note.message,
          error,
        });
      });
    this.#writing.set(ctx.signal, write);
  }

  /** Runs a reconcile, then waits until its events are written, even if the reconcile fails. */
  async during<R>(ctx: Context, reconcile: () => Promise<R>): Promise<R> {
    try {
      return await reconcile();
    } finally {
      await this.#writing.get(ctx.signal);
    }
  }

  async #write(ctx: Context, note: CoreEventNote): Promise<void> {
    const { client, clock, signal } = ctx;
    const key = [subjectOf(note), note.reason, note.message].join('\n');
    const known = this.#known.get(key);
    const events = client.resource(Event);
    let event: Stored<Event>;
    if (known) {
      const { name, namespace } = known.metadata;
      const body = { count: (known.count ?? 1) + 1, lastTimestamp: formatTime(clock.now()) };
      event = await events
        .patch({ name, namespace }, { type: 'merge', body }, { signal })
        // The event has expired or was deleted, so create it again.
        .catch(() => events.create(this.#event(ctx, note), { signal }));
    } else {
      event = await events.create(this.#event(ctx, note), { signal });
    }
    this.#known.delete(key);
    this.#known.set(key, event);
    if (this.#known.size > maxKnown) this.#known.delete(this.#known.keys().next().value ?? '');
  }

  #event({ clock, random }: Context, note: CoreEventNote): Event {
    const { about, type = 'Normal', reason, message } = note;
    const { name, namespace, uid, resourceVersion } = about.metadata;
    const at = formatTime(clock.now());
    const chance = Math.floor(random.next() * 0x100000);
    const suffix = clock.now().toString(16) + chance.toString(16).padStart(5, '0');
    return Event({
      metadata: { name: `${name.slice(0, 236)}.${suffix}`, namespace: namespace ?? 'default' },
      involvedObject: {
        kind: about.kind,
        apiVersion: about.apiVersion,
        name,
        ...defined({ namespace, uid, resourceVersion }),
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
    });
  }

  #allows(uid: string, clock: Clock): boolean {
    const now = clock.monotonic();
    const bucket = this.#tokens.get(uid) ?? { tokens: burst, atMs: now };
    this.#tokens.delete(uid);
    this.#tokens.set(uid, bucket);
    if (this.#tokens.size > maxKnown) this.#tokens.delete(this.#tokens.keys().next().value ?? '');
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.atMs) / refillMs);
    bucket.atMs = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}

type Context = Pick<RequestContext, 'client' | 'clock' | 'random' | 'log' | 'signal'>;

/**
 * Returns the key by which client-go's spam filter counts events. It includes the event's type, so that Normal events cannot use
 * up the limit for Warnings about the same object.
 */
function subjectOf({ about: { apiVersion, kind, metadata }, type }: CoreEventNote): string {
  const { namespace, name, uid } = metadata;
  return [apiVersion, kind, namespace, name, uid, type].join('\n');
}
