import { readFileSync } from 'node:fs';
import { KubewrightError } from '@kubewright/apimachinery';
import { AssignedUsers } from './assigned-users.ts';

/** A range of user and group ids. */
export interface UidRange {
  readonly first: number;
  readonly count: number;
}

/** The user of a pod, and the group with the same id. */
export interface PodUser {
  readonly uid: number;
  readonly gid: number;
}

/** Thrown if no user ID of the range is free for another pod. */
class PodUserError extends KubewrightError {
  override readonly name = 'PodUserError';
  readonly code = 'KW5214';

  constructor({ first, count }: UidRange) {
    super({
      what: 'cannot assign a user to the pod',
      why: `all ${count} uids from ${first} are in use`,
      remedy: 'delete pods, or configure a larger range (podUids)',
    });
  }
}

/** Ids that no distribution or container engine assigns: systemd's list of ranges leaves them free. */
const usualRange: UidRange = { first: 1_879_048_192, count: 16_777_216 };
/**
 * The ids that systemd gives to dynamic service users. Used if only 16-bit ids are mapped (in a rootless container
 * engine).
 */
const narrowRange: UidRange = { first: 61_184, count: 4_336 };
/** Maximum number of nodes on one machine; each gets a part of the range. */
const maxNodes = 256;

/**
 * Returns the ids that a node's pods may use: its own part of the usual range, so that other nodes on the machine use different
 * ids. Returns `undefined` if the user namespace of this process maps too few ids.
 *
 * @param node - number of the node on this machine, 0 to 255.
 */
export function podUidRange(
  node: number,
  options: {
    /** Range chosen by the user; used unchanged. */
    readonly chosen?: UidRange | undefined;
    /** Contents of `/proc/self/uid_map` and `gid_map`; if empty, every id is mapped. @defaultValue the maps of this process */
    readonly maps?: readonly string[];
  } = {},
): UidRange | undefined {
  const { chosen, maps = ['uid_map', 'gid_map'].map(readMap) } = options;
  if (chosen) return chosen;
  const range = [usualRange, narrowRange].find((one) => maps.every((map) => isMapped(one, map)));
  if (range === undefined) return undefined;
  const count = Math.floor(range.count / maxNodes);
  return { first: range.first + (node % maxNodes) * count, count };
}

/**
 * Gives each pod of a node its own user from a range. Pods that mount the same persistent volume claim share a user, on
 * any node of the cluster. A claim keeps its user as long as other users are free, so a pod can read its predecessor's
 * data. PostgreSQL also requires this: it accepts only data owned by its own user.
 */
export class PodUsers implements Disposable {
  readonly #range: UidRange;
  readonly #assigned: AssignedUsers;
  /** Uids of the node's own pods. */
  readonly #own = new Set<string>();
  #next = 0;

  /**
   * @param assigned - the users of the cluster's pods and claims.
   * @defaultValue a new table, for the only node of a cluster
   */
  constructor(range: UidRange, assigned: AssignedUsers = new AssignedUsers()) {
    this.#range = range;
    this.#assigned = assigned;
  }

  /**
   * Assigns a user to a pod; returns the same user until it is freed.
   *
   * @param claims - keys of the claims that the pod mounts.
   * @throws PodUserError if no user is left.
   */
  take(podUid: string, claims: readonly string[] = []): PodUser {
    const { pods, claims: known } = this.#assigned;
    const uid = pods.get(podUid) ?? this.#ofClaims(claims) ?? this.#free();
    pods.set(podUid, uid);
    this.#own.add(podUid);
    for (const claim of claims) {
      known.set(claim, known.get(claim) ?? uid);
    }
    return { uid, gid: uid };
  }

  /** Returns the user of a pod. */
  of(podUid: string): PodUser | undefined {
    const uid = this.#assigned.pods.get(podUid);
    return uid === undefined ? undefined : { uid, gid: uid };
  }

  /** Frees a pod's user. */
  free(podUid: string): void {
    if (this.#own.delete(podUid)) this.#assigned.pods.delete(podUid);
  }

  /** Frees the users of the node's pods. */
  [Symbol.dispose](): void {
    for (const podUid of this.#own) this.free(podUid);
  }

  /**
   * Returns the user of one of the claims, if any claim has a user. Prefers a claim that a running pod mounts, because
   * that pod's user can no longer change.
   */
  #ofClaims(claims: readonly string[]): number | undefined {
    const { pods, claims: known } = this.#assigned;
    const users = claims.map((claim) => known.get(claim)).filter((uid) => uid !== undefined);
    return users.find((uid) => pods.isUsed(uid)) ?? users[0];
  }

  /** Returns the next free user in rotation, so freed users are reused as late as possible. */
  #free(): number {
    const { first, count } = this.#range;
    for (let i = 0; i < count; i++) {
      const uid = first + ((this.#next + i) % count);
      if (this.#assigned.isTaken(uid)) continue;
      this.#next = uid - first + 1;
      return uid;
    }
    return this.#takeFromClaim();
  }

  /**
   * Takes the user of the claims that have been unused longest. The next pod that mounts one of them becomes the owner of its
   * data.
   */
  #takeFromClaim(): number {
    const { pods, claims } = this.#assigned;
    const { first, count } = this.#range;
    const entries = [...claims.entries()];
    const lastUsedFirst = [...new Set(entries.map(([, uid]) => uid).reverse())];
    const unused = lastUsedFirst.findLast((uid) => uid >= first && uid < first + count && !pods.isUsed(uid));
    if (unused === undefined) throw new PodUserError(this.#range);
    for (const [claim, uid] of entries) if (uid === unused) claims.delete(claim);
    return unused;
  }
}

function isMapped({ first, count }: UidRange, map: string): boolean {
  if (map === '') return true;
  return map.split('\n').some((line) => {
    const [inside = Number.NaN, , length = 0] = line.trim().split(/\s+/).map(Number);
    return first >= inside && first + count <= inside + length;
  });
}

function readMap(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'latin1');
  } catch {
    // The system has no user namespaces.
    return '';
  }
}
