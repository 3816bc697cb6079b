/**
 * The users of the running pods that mount persistent volumes. A pod must not take the files of a volume from a running pod of
 * another user.
 */
export class VolumeUsers {
  /** User ids by pod uid, by folder. */
  readonly #folders = new Map<string, Map<string, number>>();

  /** Records that a pod uses a folder. Returns true if no pod with another user uses it. */
  take(folder: string, { podUid, uid }: { readonly podUid: string; readonly uid: number }): boolean {
    const users = this.#folders.get(folder) ?? new Map<string, number>();
    this.#folders.set(folder, users);
    users.set(podUid, uid);
    return [...users.values()].every((other) => other === uid);
  }

  /** Forgets a pod, whose processes have ended. */
  free(podUid: string): void {
    for (const [folder, users] of this.#folders) {
      users.delete(podUid);
      if (users.size === 0) this.#folders.delete(folder);
    }
  }
}
