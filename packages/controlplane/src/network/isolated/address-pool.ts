import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if every address is taken. */
export class AddressesTakenError extends KubewrightError {
  override readonly name = 'AddressesTakenError';
  readonly code = 'KW5222';
}

/** The pod addresses of one node: 10.244.n.2 to 10.244.n.254. */
export class AddressPool {
  readonly #prefix: string;
  readonly #taken = new Set<number>();
  #next = 2;

  /** @param prefix - such as `10.244.1.` */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Takes the next free address in rotation, so that freed addresses are reused as late as possible. */
  take(): string {
    for (let tries = 0; tries < 253; tries++) {
      const number = this.#next;
      this.#next = number === 254 ? 2 : number + 1;
      if (this.#taken.has(number)) continue;
      this.#taken.add(number);
      return `${this.#prefix}${number}`;
    }
    throw new AddressesTakenError({ what: `all pod addresses ${this.#prefix}2 to ${this.#prefix}254 are in use` });
  }

  free(address: string): void {
    this.#taken.delete(Number(address.slice(this.#prefix.length)));
  }
}
