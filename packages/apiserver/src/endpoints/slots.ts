/** The holder of a slot. */
export interface SlotHolder {
  readonly username: string;
  /** True for callers that must always be served: administrators and callers inside the process. */
  readonly privileged: boolean;
  /** True for the cluster's own components, which may use half of the reserved slots. @defaultValue false */
  readonly system?: boolean | undefined;
}

/** A pool of slots. One user may hold only a share of it, and some slots are reserved for privileged callers. */
export class Slots {
  readonly #max: number;
  readonly #maxOfUser: number;
  readonly #reserved: number;
  readonly #users = new Map<string, number>();
  #taken = 0;

  constructor(max: number, { reserved, maxOfUser }: { readonly reserved: number; readonly maxOfUser: number }) {
    this.#max = max;
    this.#reserved = reserved;
    this.#maxOfUser = Math.max(1, Math.floor(maxOfUser));
  }

  /** Takes a slot. Returns false if this holder cannot get one. */
  take({ username, privileged, system = false }: SlotHolder): boolean {
    const extra = privileged ? this.#reserved : system ? Math.floor(this.#reserved / 2) : 0;
    if (this.#taken >= this.#max + extra) return false;
    if (!privileged) {
      const own = this.#users.get(username) ?? 0;
      if (own >= this.#maxOfUser) return false;
      this.#users.set(username, own + 1);
    }
    this.#taken++;
    return true;
  }

  release({ username, privileged }: SlotHolder): void {
    this.#taken--;
    if (privileged) return;
    const own = (this.#users.get(username) ?? 1) - 1;
    if (own === 0) this.#users.delete(username);
    else this.#users.set(username, own);
  }
}
