import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if every address is taken. */
class AddressesTakenError extends KubewrightError {
  override readonly name = 'AddressesTakenError';
  readonly code = 'KW5222';
}

/** Numbered addresses. */
export interface AddressRange {
  readonly count: number;
  /** For errors: `of 10.244.0.0/16`. */
  readonly description: string;
  /** Returns the address with a number from 0 to `count` - 1. */
  readonly at: (number: number) => string;
}

/**
 * Returns the pod addresses of a node with an isolated network: 10.244.n.2 to 10.244.n.254.
 *
 * @param prefix - such as `10.244.1.`
 */
export function isolatedRange(prefix: string): AddressRange {
  return { count: 253, description: `${prefix}2 to ${prefix}254`, at: (number) => `${prefix}${number + 2}` };
}

/**
 * Returns the pod addresses of a node whose network exists only in this process: all of a /16 network whose last byte is 1 to 254.
 *
 * @param network - the first two parts of the addresses, such as `10.244`
 */
export function inProcessRange(network: string): AddressRange {
  const count = 256 * 254;
  const at = (number: number): string => {
    // The first pod gets .0.2, as on a node whose bridge has .0.1.
    const index = (number + 1) % count;
    return `${network}.${Math.floor(index / 254)}.${(index % 254) + 1}`;
  };
  return { count, description: `of ${network}.0.0/16`, at };
}

/** Hands out the pod addresses of one node. */
export class AddressPool {
  readonly #range: AddressRange;
  readonly #taken = new Set<string>();
  #next = 0;

  constructor(range: AddressRange) {
    this.#range = range;
  }

  /**
   * Takes the next free address in rotation, so that freed addresses are reused as late as possible.
   *
   * @throws AddressesTakenError if none is left.
   */
  take(): string {
    const { count, description, at } = this.#range;
    for (let tries = 0; tries < count; tries++) {
      const address = at(this.#next);
      this.#next = (this.#next + 1) % count;
      if (this.#taken.has(address)) continue;
      this.#taken.add(address);
      return address;
    }
    throw new AddressesTakenError({ what: `all pod addresses ${description} are in use` });
  }

  free(address: string): void {
    this.#taken.delete(address);
  }
}
