import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if all pod addresses are in use. */
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
 * The pod addresses of a cluster whose network exists only in this process: 10.128.0.0/9, except addresses whose last
 * byte is 0 or 255. This range is separate from the ranges of nodes (10.0.0.0/16) and Services.
 */
export const inProcessRange: AddressRange = {
  count: 128 * 256 * 254,
  description: 'of 10.128.0.0/9',
  at: (number) => {
    const third = Math.floor(number / 254);
    return `10.${128 + (third >> 8)}.${third & 255}.${(number % 254) + 1}`;
  },
};

/** Hands out the pod addresses of a node, or of all nodes whose network exists only in this process. */
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
