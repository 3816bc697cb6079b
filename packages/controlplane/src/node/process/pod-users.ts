import { readFileSync } from 'node:fs';

/** Consecutive user and group ids. */
export interface UidRange {
  readonly first: number;
  readonly count: number;
}

/** A pod's user, and its group with the same number. */
export interface PodUser {
  readonly uid: number;
  readonly gid: number;
}

/** Every user of the range is taken. */
class PodUserError extends Error {
  readonly code = 'KW5214';

  constructor({ first, count }: UidRange) {
    super(
      `cannot give the pod a separate user: all ${count} ids from ${first} are taken; delete pods, or give the node a larger range (podUids)`,
    );
    this.name = 'PodUserError';
  }
}

/** Users that no distribution and no container engine hands out: systemd's list of ranges leaves these free. */
const usualRange: UidRange = { first: 1_879_048_192, count: 16_777_216 };
/** Where only 16 bits are mapped (an engine without root): the ids that systemd gives to services for as long as they run. */
const narrowRange: UidRange = { first: 61_184, count: 4_336 };
/** Nodes on one machine, each of which gets a part of the range. */
const mostNodes = 256;

/**
 * Chooses the ids that a node's pods may use: its own part of the usual range, so that nodes beside it use others;
 * `undefined` when this process may become none of them (a container whose user namespace maps few ids).
 *
 * @param node - number of the node on this machine, 0 to 255.
 */
export function podUidRange(
  node: number,
  options: {
    /** Chosen by the user; used unchanged. */
    readonly chosen?: UidRange | undefined;
    /** Texts of `/proc/self/uid_map` and `gid_map`. @defaultValue those of this process; without any, every id is mapped */
    readonly maps?: readonly string[];
  } = {},
): UidRange | undefined {
  const { chosen, maps = ['uid_map', 'gid_map'].map(readMap) } = options;
  if (chosen) return chosen;
  const range = [usualRange, narrowRange].find((one) => maps.every((map) => isMapped(one, map)));
  if (range === undefined) return undefined;
  const count = Math.floor(range.count / mostNodes);
  return { first: range.first + (node % mostNodes) * count, count };
}

/**
 * Gives each pod a separate user from a range. Pods that mount the same persistent volume claim share one, and a claim
 * keeps its user: what one pod wrote, the next can read, and PostgreSQL accepts only data that is its own user's.
 */
export class PodUsers {
  readonly #range: UidRange;
  readonly #pods = new Map<string, number>();
  readonly #claims = new Map<string, number>();
  #next = 0;

  constructor(range: UidRange) {
    this.#range = range;
  }

  /**
   * Takes a user for a pod; the same each time until it is freed.
   *
   * @param claims - keys of the claims that the pod mounts.
   * @throws PodUserError when none is left.
   */
  take(podUid: string, claims: readonly string[] = []): PodUser {
    const uid = this.#pods.get(podUid) ?? this.#ofClaims(claims) ?? this.#free();
    this.#pods.set(podUid, uid);
    for (const claim of claims) if (!this.#claims.has(claim)) this.#claims.set(claim, uid);
    return { uid, gid: uid };
  }

  /** The user that a pod has. */
  of(podUid: string): PodUser | undefined {
    const uid = this.#pods.get(podUid);
    return uid === undefined ? undefined : { uid, gid: uid };
  }

  /** Gives a pod's user back. */
  free(podUid: string): void {
    this.#pods.delete(podUid);
  }

  /** Prefers the user of a claim that a running pod mounts: that one can no longer change. */
  #ofClaims(claims: readonly string[]): number | undefined {
    const known = claims.map((claim) => this.#claims.get(claim)).filter((uid) => uid !== undefined);
    const running = new Set(this.#pods.values());
    return known.find((uid) => running.has(uid)) ?? known[0];
  }

  /** The one freed longest ago comes last. */
  #free(): number {
    const { first, count } = this.#range;
    const taken = new Set([...this.#pods.values(), ...this.#claims.values()]);
    for (let i = 0; i < count; i++) {
      const uid = first + ((this.#next + i) % count);
      if (taken.has(uid)) continue;
      this.#next = uid - first + 1;
      return uid;
    }
    throw new PodUserError(this.#range);
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
    // A system without user namespaces.
    return '';
  }
}
