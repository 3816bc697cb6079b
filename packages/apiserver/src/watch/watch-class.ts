import type { ChangeFrames } from './change-frames.ts';
import { FrameRing } from './frame-ring.ts';
import type { UnreadEvents } from './unread-limit.ts';
import { tooManyUnread } from './watch-failures.ts';
import type { WatchFilter, WatchRepresentation, WatchRequest } from './watch-request.ts';
import type { Watcher } from './watcher.ts';

/** All watchers that get the same events in the same representation. They share the encoded events. */
export class WatchClass implements UnreadEvents {
  readonly key: string;
  /** The scopes (see {@link scopesOf}) whose changes concern this class. */
  readonly scopes: readonly string[];
  readonly representation: WatchRepresentation;
  readonly filter: WatchFilter | undefined;
  readonly ring: FrameRing;
  readonly watchers: Set<Watcher> = new Set();
  /** Size of the ring, in bytes, at which its unread events are checked next. */
  checkAtBytes = 0;

  constructor(request: WatchRequest, limits: { readonly maxBytes: number }) {
    this.key = classKey(request);
    this.scopes = requestScopes(request);
    this.representation = request.representation;
    this.filter = request.filter;
    this.ring = new FrameRing(limits);
  }

  /** Processes a change. Returns true if watchers have something to send. */
  take(change: ChangeFrames): boolean {
    const { representation, filter } = this;
    const frame = change.frame(filter, { representation, first: false });
    if (!frame) return false;
    const firstFrame = representation.firstDiffers
      ? () => change.frame(filter, { representation, first: true }) as Uint8Array // a frame exists, so its first variant exists too
      : undefined;
    this.ring.append({ frame, revision: change.revision, firstFrame });
    if (this.ring.isFilling) this.trim();
    return true;
  }

  /** Drops the events that all watchers have sent. */
  trim(): void {
    this.ring.dropBefore(this.#slowest()?.cursor ?? this.ring.end);
  }

  unread(): { readonly owner: string | undefined; readonly bytes: number } {
    const slowest = this.#slowest();
    this.ring.dropBefore(slowest?.cursor ?? this.ring.end);
    return { owner: slowest?.owner, bytes: this.ring.bytes };
  }

  cutSlowest(): void {
    this.#slowest()?.cut(tooManyUnread());
  }

  /** Returns the watcher that is furthest behind, or undefined if all watchers have read everything. */
  #slowest(): Watcher | undefined {
    let slowest: Watcher | undefined;
    let oldest = this.ring.end;
    for (const watcher of this.watchers) {
      if (watcher.cursor >= oldest) continue;
      oldest = watcher.cursor;
      slowest = watcher;
    }
    return slowest;
  }
}

/** Returns the key of the class that a request belongs to. */
export function classKey(request: WatchRequest): string {
  const { representation, filter, namespace, name } = request;
  return JSON.stringify([representation.id, filter?.id, namespace, name]);
}

/** Reports whether a key, relative to the resource's prefix, is in a request's scope. */
export function isInScope(relativeKey: string, request: WatchRequest): boolean {
  return requestScopes(request).some((scope) => scopesOf(relativeKey).includes(scope));
}

/** Returns the scopes of a key: everything, its namespace, the key itself, and its name in any namespace. */
export function scopesOf(relativeKey: string): readonly string[] {
  const slash = relativeKey.indexOf('/');
  if (slash < 0) return ['', relativeKey];
  return ['', relativeKey.slice(0, slash + 1), relativeKey, `*${relativeKey.slice(slash)}`];
}

function requestScopes({ namespace, name }: WatchRequest): readonly string[] {
  if (namespace) return [`${namespace}/${name ?? ''}`];
  // Without a namespace, a name selects a cluster-scoped object, or the objects of that name in all namespaces.
  return name === undefined ? [''] : [name, `*/${name}`];
}
