/**
 * The users of a cluster's pods and persistent volume claims. All nodes use one table, because pods on different nodes can mount
 * the same claim.
 */
export class AssignedUsers {
  /** User ids by pod uid. */
  readonly pods: UserIds = new UserIds();
  /** User ids by claim, `namespace/name`. The claim that was set last comes last. */
  readonly claims: UserIds = new UserIds();

  /** True if a pod or a claim has the user. */
  isTaken(uid: number): boolean {
    return this.pods.isUsed(uid) || this.claims.isUsed(uid);
  }
}

/** User ids by key, with the number of keys that share each id. */
class UserIds {
  readonly #ids = new Map<string, number>();
  readonly #keys = new Map<number, number>();

  get(key: string): number | undefined {
    return this.#ids.get(key);
  }

  isUsed(uid: number): boolean {
    return this.#keys.has(uid);
  }

  /** Sets the id of a key, and moves the key to the end. */
  set(key: string, uid: number): void {
    this.delete(key);
    this.#ids.set(key, uid);
    this.#keys.set(uid, (this.#keys.get(uid) ?? 0) + 1);
  }

  delete(key: string): void {
    const uid = this.#ids.get(key);
    if (uid === undefined) return;
    this.#ids.delete(key);
    const left = (this.#keys.get(uid) ?? 0) - 1;
    if (left > 0) this.#keys.set(uid, left);
    else this.#keys.delete(uid);
  }

  /** Iterates over keys and ids; the key that was set last comes last. */
  entries(): IterableIterator<[string, number]> {
    return this.#ids.entries();
  }
}
