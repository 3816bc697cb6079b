import { createServer, type Server } from 'node:net';
import { KubewrightError, type Random } from '@kubewright/apimachinery';

/** Thrown if all pod addresses on loopback are in use, or no range of addresses is free. */
class AddressError extends KubewrightError {
  override readonly name = 'AddressError';
  readonly code = 'KW5203';
}

/** Port that marks a range as taken; the kubelet's port. */
const markPort = 10_250;
const sharedAddress = '127.0.0.1';

/**
 * A part of the loopback network reserved for one instance: 127.x.0.0/16, one address per pod. The instance reserves
 * the range by listening on its first address, so instances on one machine never share a range, and a crash frees it.
 */
export class LoopbackRange implements AsyncDisposable {
  /** The node's own address: 127.x.0.1. */
  readonly nodeIP: string;
  readonly #second: number;
  readonly #mark: Server;
  readonly #taken = new Set<number>();
  #next = 0;

  /**
   * True if the system has only 127.0.0.1 (macOS without aliases). All pods then share it, so two servers on the same port
   * conflict.
   */
  readonly isShared: boolean;

  private constructor(second: number | undefined, mark: Server) {
    this.#second = second ?? 0;
    this.#mark = mark;
    this.isShared = second === undefined;
    this.nodeIP = second === undefined ? sharedAddress : `127.${second}.0.1`;
  }

  /** Number of the range on this machine, 0 to 255. */
  get number(): number {
    return this.#second;
  }

  /**
   * Reserves a free range.
   *
   * @param preferred - number of the range to use if it is free.
   * @throws {@link AddressError} if none is free.
   */
  static async reserve(random: Random, preferred?: number): Promise<LoopbackRange> {
    const start = Math.floor(random.next() * 250);
    let last: unknown;
    for (let i = 0; i < 250; i++) {
      // Skip 127.0 and 127.1, which people often use by hand.
      const second = 2 + (((preferred === undefined ? start : preferred - 2) + i) % 250);
      try {
        return new LoopbackRange(second, await listen(`127.${second}.0.1`));
      } catch (error) {
        last = error;
        if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') return LoopbackRange.#share();
      }
    }
    const reason = last instanceof Error ? last.message : String(last);
    throw new AddressError({ what: `no free loopback range 127.x.0.0/16 for pod addresses (last error: ${reason})` });
  }

  static async #share(): Promise<LoopbackRange> {
    return new LoopbackRange(undefined, await listen(sharedAddress, 0));
  }

  /** Takes the next free address in rotation, so freed addresses are reused as late as possible. */
  take(): string {
    if (this.isShared) return sharedAddress;
    for (let i = 0; i < 65_000; i++) {
      const number = 256 + ((this.#next + i) % 65_000);
      const last = number & 255;
      if (last === 0 || last === 255 || this.#taken.has(number)) continue;
      this.#taken.add(number);
      this.#next = number - 256 + 1;
      return `127.${this.#second}.${number >> 8}.${last}`;
    }
    throw new AddressError({ what: 'all pod addresses of this node are in use' });
  }

  /** Frees an address. */
  free(address: string): void {
    const [, , third = 0, fourth = 0] = address.split('.').map(Number);
    this.#taken.delete(third * 256 + fourth);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#mark.close(resolve));
  }
}

function listen(host: string, port: number = markPort): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      // The listener only reserves the range, so it does not matter if a connection cannot be accepted (EMFILE).
      server.off('error', reject).on('error', () => undefined);
      resolve(server);
    });
  });
}
