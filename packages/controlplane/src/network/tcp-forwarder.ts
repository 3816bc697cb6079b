import type { OnReadOpts, Server, Socket } from 'node:net';
import { ReadBuffers } from './read-buffers.ts';
import type { SocketAddress } from './sockets.ts';

/** Options for {@link TcpForwarder}. */
export interface TcpForwarderOptions {
  /** Receives the connections. It is closed with the forwarder. */
  readonly server: Server;
  /**
   * Connects to the target for a client. If that fails, the client is disconnected.
   *
   * @param onread - pass this to `Sockets.connect`; a socket that does not use it emits its data instead.
   */
  readonly open: (client: SocketAddress, onread: OnReadOpts) => Promise<Socket>;
}

/** Number of bytes that may wait for a slow receiver. More bytes are read only when it has received all of them. */
const maxWaiting = 524_288;

/**
 * Forwards the connections of a listener. Disposing it does not close existing connections, as with kube-proxy.
 *
 * Data from the target is read into reused buffers: reading it as a stream allocates 64 KiB for each read and stops after each
 * write, which takes up to two thirds more processor time.
 */
export class TcpForwarder implements Disposable {
  readonly #server: Server;
  readonly #open: TcpForwarderOptions['open'];
  readonly #buffers = new ReadBuffers();

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
    const received = receive(client, this.#buffers);
    try {
      const target = await this.#open({ host: remoteAddress, port: remotePort }, received.onread);
      if (client.destroyed) target.destroy();
      else {
        received.from(target);
        join(client, target);
      }
    } catch {
      // The target is unreachable, so the client's connection is reset.
      client.resetAndDestroy();
    }
  }
}

/** Returns the options of a connection whose data is written to `to` directly. */
function receive(to: Socket, shared: ReadBuffers): { readonly onread: OnReadOpts; from(source: Socket): void } {
  const buffers = shared.forConnection();
  let source: Socket | undefined;
  return {
    onread: {
      buffer: () => buffers.current,
      callback(bytes) {
        if (to.destroyed) return false;
        const { current } = buffers;
        let isWritten = false;
        let isInUse = false;
        to.write(current.subarray(0, bytes), () => {
          isWritten = true;
          if (isInUse) buffers.release(current);
        });
        // Usually the system takes all bytes immediately, and the buffer can be reused.
        isInUse = to.writableLength > 0 && !isWritten;
        buffers.advance({ bytes, isInUse });
        if (to.writableLength < maxWaiting) return true;
        to.once('drain', () => source?.resume());
        return false;
      },
    },
    from(opened) {
      source = opened;
      opened.once('close', () => buffers[Symbol.dispose]());
    },
  };
}

/** Copies bytes between two sockets in both directions; each direction ends on its own. */
function join(a: Socket, b: Socket): void {
  b.on('error', () => undefined);
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    // Not a pipe: that stops reading after each chunk, even if the system has taken it.
    from.on('data', (chunk) => {
      to.write(chunk);
      if (to.writableLength < maxWaiting) return;
      from.pause();
      to.once('drain', () => from.resume());
    });
    from.once('end', () => to.end());
    from.once('close', () => {
      // The rest of what was received is still written to the other side.
      if (!from.readableEnded || !from.writableFinished) to.destroy();
    });
    from.resume();
  }
}
