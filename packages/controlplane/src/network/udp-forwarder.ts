import type { Socket } from 'node:dgram';
import type { Clock, Timer } from '@kubewright/apimachinery';
import type { SocketAddress } from './sockets.ts';

/** Options for {@link UdpForwarder}. */
export interface UdpForwarderOptions {
  /** Receives the clients' datagrams. It is closed with the forwarder. */
  readonly socket: Socket;
  /** Returns the target of a client's datagrams; `undefined` drops them. */
  readonly target: (client: SocketAddress) => SocketAddress | undefined;
  /** Opens the socket from which a client's datagrams are forwarded. */
  readonly open: () => Promise<Socket>;
  readonly clock: Clock;
}

/** Time without datagrams after which a client is forgotten, in milliseconds, as in conntrack for UDP streams. */
const idleMs = 120_000;
/** Maximum number of clients. Beyond it, a new client replaces the client that has been silent for the longest time. */
const maxClients = 1_024;

interface Flow {
  readonly socket: Promise<Socket>;
  readonly target: SocketAddress;
  timer: Timer | undefined;
}

/** Forwards datagrams, and returns the replies to each client. */
export class UdpForwarder implements Disposable {
  readonly #options: UdpForwarderOptions;
  /** Keyed by client, in order of the last packet, oldest first. */
  readonly #flows = new Map<string, Flow>();
  #isDisposed = false;

  constructor(options: UdpForwarderOptions) {
    this.#options = options;
    options.socket.on('message', (message, { address, port }) => void this.#send(message, { host: address, port }));
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#options.socket.close();
    this.retain([]);
  }

  /** Forgets the clients of all other targets, so that their next datagrams get a new target. */
  retain(targets: readonly SocketAddress[]): void {
    const kept = new Set(targets.map(keyOf));
    for (const [key, flow] of this.#flows) if (!kept.has(keyOf(flow.target))) this.#forget(key, flow);
  }

  async #send(message: Uint8Array, client: SocketAddress): Promise<void> {
    const key = keyOf(client);
    const flow = this.#flows.get(key) ?? this.#begin(client);
    if (!flow) return;
    this.#flows.delete(key);
    this.#flows.set(key, flow);
    flow.timer?.[Symbol.dispose]();
    flow.timer = this.#options.clock.setTimer(idleMs, () => this.#forget(key, flow), { unref: true });
    try {
      const socket = await flow.socket;
      socket.send(message, flow.target.port, flow.target.host, ignoreLoss);
    } catch {
      // Datagrams may be lost.
      this.#forget(key, flow);
    }
  }

  #begin(client: SocketAddress): Flow | undefined {
    const target = this.#options.target(client);
    if (!target) return undefined;
    for (const [key, flow] of this.#flows) {
      if (this.#flows.size < maxClients) break;
      this.#forget(key, flow);
    }
    const socket = this.#options.open().then((opened) => {
      opened.on('message', (response) => {
        if (!this.#isDisposed) this.#options.socket.send(response, client.port, client.host, ignoreLoss);
      });
      return opened;
    });
    return { socket, target, timer: undefined };
  }

  #forget(key: string, flow: Flow): void {
    if (this.#flows.get(key) === flow) this.#flows.delete(key);
    flow.timer?.[Symbol.dispose]();
    flow.socket.then((socket) => socket.close()).catch(ignoreLoss);
  }
}

function keyOf({ host, port }: SocketAddress): string {
  return `${host}:${port}`;
}

function ignoreLoss(): void {
  // Datagrams may be lost.
}
