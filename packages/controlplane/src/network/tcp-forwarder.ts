import type { Server, Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { SocketAddress } from './sockets.ts';

/** Options for {@link TcpForwarder}. */
export interface TcpForwarderOptions {
  /** Receives the connections. It is closed with the forwarder. */
  readonly server: Server;
  /** Connects to the target for a client. If that fails, the client is disconnected. */
  readonly open: (client: SocketAddress) => Promise<Socket>;
}

/** Forwards the connections of a listener. Disposing it does not close existing connections, as with kube-proxy. */
export class TcpForwarder implements Disposable {
  readonly #server: Server;
  readonly #open: TcpForwarderOptions['open'];

  constructor({ server, open }: TcpForwarderOptions) {
    this.#server = server;
    this.#open = open;
    server.on('connection', (socket) => void this.#forward(socket));
  }

  [Symbol.dispose](): void {
    this.#server.close();
  }

  async #forward(client: Socket): Promise<void> {
    // Ignore errors: the code below detects a client that disconnects early.
    client.on('error', () => undefined);
    client.allowHalfOpen = true;
    const { remoteAddress = '', remotePort = 0 } = client;
    try {
      const target = await this.#open({ host: remoteAddress, port: remotePort });
      if (client.destroyed) target.destroy();
      else join(client, target);
    } catch {
      // The target is unreachable, so the client's connection is reset.
      client.resetAndDestroy();
    }
  }
}

/** Copies bytes between two sockets in both directions; each direction ends on its own. */
function join(a: Socket, b: Socket): void {
  const copy = (from: Socket, to: Socket): void => {
    pipeline(from, to, (error) => {
      if (error === null || error === undefined) return;
      from.destroy();
      to.destroy();
    });
  };
  copy(a, b);
  copy(b, a);
}
