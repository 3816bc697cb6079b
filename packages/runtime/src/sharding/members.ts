import type { Lease } from '../leader-election/lease.ts';
import { claims, type View } from './view.ts';

/** Annotation of a member's lease: the members that share the keys, as a JSON list. */
export const membersAnnotation = 'kubewright.dev/members';

/** Annotation of a member's lease: keys that the member gives up but is still working on, as a JSON list. */
export const heldAnnotation = 'kubewright.dev/held';

/** Another member, as described by its lease. */
interface Member {
  readonly name: string;
  readonly view: View;
  readonly durationMs: number;
  readonly resourceVersion: string;
  /** Time at which the lease was first seen at this version, on this process's monotonic clock. */
  readonly sinceMs: number;
}

/** Number of lease durations without a renewal after which any member deletes the lease. */
const forgottenAfter = 10;

/**
 * The other members, according to their leases. A member is alive if its lease changed recently by the local clock; the
 * times inside the lease do not count. A member is considered dead only after a list that was requested after its lease
 * expired.
 */
export class Members {
  readonly #self: string;
  #others: ReadonlyMap<string, Member> = new Map();
  #requestedMs = 0;

  constructor(self: string) {
    this.#self = self;
  }

  /**
   * Updates from a list of all members' leases. `requestedMs` and `seenMs` are the times at which the list was requested and
   * arrived.
   */
  observe(leases: readonly Lease[], at: { readonly requestedMs: number; readonly seenMs: number }): void {
    const others = new Map<string, Member>();
    for (const lease of leases) {
      const { name = '', resourceVersion = '' } = lease.metadata;
      if (name === this.#self) continue;
      const known = this.#others.get(name);
      const durationMs = (lease.spec?.leaseDurationSeconds ?? 0) * 1000;
      const sinceMs = known?.resourceVersion === resourceVersion ? known.sinceMs : at.seenMs;
      others.set(name, { name, view: viewOf(lease), durationMs, resourceVersion, sinceMs });
    }
    this.#others = others;
    this.#requestedMs = at.requestedMs;
  }

  /** All members that are alive, including this one, in order. */
  get alive(): readonly string[] {
    return [this.#self, ...this.#living().map(({ name }) => name)].sort();
  }

  /** A string that changes whenever the living members, or the keys that they claim, change. */
  get signature(): string {
    return JSON.stringify(this.#living().map(({ name, view }) => [name, view]));
  }

  /** Leases that were last renewed long ago. */
  get forgotten(): readonly { readonly name: string; readonly resourceVersion: string }[] {
    return [...this.#others.values()].filter(
      ({ sinceMs, durationMs }) => this.#requestedMs - sinceMs > durationMs * forgottenAfter,
    );
  }

  /** Reports whether another living member still claims the key. */
  isHeldByAnother(key: string): boolean {
    return this.#living().some(({ name, view }) => claims(view, key, name));
  }

  #living(): readonly Member[] {
    return [...this.#others.values()].filter(({ sinceMs, durationMs }) => this.#requestedMs - sinceMs < durationMs);
  }
}

function viewOf(lease: Lease): View {
  return { members: listOf(lease, membersAnnotation), held: listOf(lease, heldAnnotation) };
}

/** Returns the names in an annotation; empty if the annotation is not a list of names. */
function listOf(lease: Lease, annotation: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(lease.metadata.annotations?.[annotation] ?? '[]');
    return Array.isArray(list) && list.length <= 10_000 && list.every((each) => typeof each === 'string') ? list : [];
  } catch {
    // Another client wrote the annotation; treat an invalid annotation as an empty list.
    return [];
  }
}
