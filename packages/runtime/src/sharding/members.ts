import type { Lease } from '../leader-election/lease.ts';
import { claims, type View } from './view.ts';

/** Annotation of a member's lease: the members among which it divides the keys, as a JSON list. */
export const membersAnnotation = 'kubewright.dev/members';

/** Annotation of a member's lease: keys that it does not let go yet though it gives them away, as a JSON list. */
export const heldAnnotation = 'kubewright.dev/held';

/** What another member's lease says. */
interface Member {
  readonly name: string;
  readonly view: View;
  readonly durationMs: number;
  readonly resourceVersion: string;
  /** When the lease was first seen as it is, by this process's monotonic clock. */
  readonly sinceMs: number;
}

/** Leases that nobody has renewed for so many times their duration are swept away by whoever sees them. */
const forgottenAfter = 10;

/**
 * The other members, as their leases have been seen. Whether one lives is judged by when its lease was last seen to change,
 * by the local clock, never by the times inside; and only from a list that was asked for after that time was over.
 */
export class Members {
  readonly #self: string;
  #others: ReadonlyMap<string, Member> = new Map();
  #askedMs = 0;

  constructor(self: string) {
    this.#self = self;
  }

  /** Takes a list of all members' leases. `askedMs` and `seenMs`: when it was asked for, and when it was there. */
  observe(leases: readonly Lease[], at: { readonly askedMs: number; readonly seenMs: number }): void {
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
    this.#askedMs = at.askedMs;
  }

  /** All that live, this one included, in order. */
  get alive(): readonly string[] {
    return [this.#self, ...this.#living().map(({ name }) => name)].sort();
  }

  /** Differs when the members that live, or what they say is theirs, have changed. */
  get signature(): string {
    return JSON.stringify(this.#living().map(({ name, view }) => [name, view]));
  }

  /** Leases that were left behind long ago. */
  get forgotten(): readonly { readonly name: string; readonly resourceVersion: string }[] {
    return [...this.#others.values()].filter(
      ({ sinceMs, durationMs }) => this.#askedMs - sinceMs > durationMs * forgottenAfter,
    );
  }

  /** True if another that lives still says that the key is its own. */
  isHeldByAnother(key: string): boolean {
    return this.#living().some(({ name, view }) => claims(view, key, name));
  }

  #living(): readonly Member[] {
    return [...this.#others.values()].filter(({ sinceMs, durationMs }) => this.#askedMs - sinceMs < durationMs);
  }
}

function viewOf(lease: Lease): View {
  return { members: listOf(lease, membersAnnotation), held: listOf(lease, heldAnnotation) };
}

/** The names in an annotation; what is no list of names names nobody. */
function listOf(lease: Lease, annotation: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(lease.metadata.annotations?.[annotation] ?? '[]');
    return Array.isArray(list) && list.length <= 10_000 && list.every((each) => typeof each === 'string') ? list : [];
  } catch {
    // Somebody else wrote it: a member that cannot be read divides nothing.
    return [];
  }
}
