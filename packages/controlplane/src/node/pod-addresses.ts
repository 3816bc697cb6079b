import { AddressesTakenError } from '../network/isolated/address-pool.ts';

/** Addresses whose last byte is 1 to 254. */
const count = 256 * 254;

/** The pod addresses of a node whose network exists only in this process: 65,024 addresses of a /16 network. */
export class PodAddresses {
  readonly #network: string;
  readonly #taken = new Set<string>();
  #last = 0;

  /** @param network - the first two parts of the addresses, such as `10.244` */
  constructor(network: string) {
    this.#network = network;
  }

  /**
   * Takes the next free address in rotation, so that freed addresses are reused as late as possible.
   *
   * @throws AddressesTakenError if none is left.
   */
  take(): string {
    for (let tries = 0; tries < count; tries++) {
      this.#last = (this.#last + 1) % count;
      const address = `${this.#network}.${Math.floor(this.#last / 254)}.${(this.#last % 254) + 1}`;
      if (this.#taken.has(address)) continue;
      this.#taken.add(address);
      return address;
    }
    throw new AddressesTakenError({ what: `all pod addresses of ${this.#network}.0.0/16 are in use` });
  }

  free(address: string): void {
    this.#taken.delete(address);
  }
}
