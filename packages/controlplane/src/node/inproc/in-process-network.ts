import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import type { SocketAddress, Sockets } from '../../network/sockets.ts';
import type { OpenResources } from './open-resources.ts';

/** Handles a connection to a listener. */
type Accept = (connection: Duplex) => void;

/** A container's access to an {@link InProcessNetwork}. Closed when the container ends. */
export interface ContainerNetwork {
  /** Accepts connections to a port of the pod, until disposed. @throws Error `EADDRINUSE` */
  listen(port: number, accept: (connection: Duplex) => void): Disposable;
  /** Connects to a pod's address, or to `localhost`. Rejects with `ECONNREFUSED` if nothing listens there. */
  connect(address: { readonly host: string; readonly port: number }): Promise<Duplex>;
}

/** A network of pods within this process: streams between functions, without sockets. */
export class InProcessNetwork {
  readonly #listeners = new Map<string, Accept>();

  /** Connects this process to pods, for probes, hooks and port forwarding. */
  readonly sockets: Sockets = {
    // Callers only read, write and end these streams.
    connect: async (address) => this.connect(address) as Socket,
    listen: () => Promise.reject(failure('listen', 'EADDRNOTAVAIL', 'pods of this network have no sockets')),
    bind: () => Promise.reject(failure('bind', 'EADDRNOTAVAIL', 'pods of this network have no sockets')),
  };

  listen({ host, port }: SocketAddress, accept: Accept): Disposable {
    const address = `${host}:${port}`;
    if (this.#listeners.has(address)) throw failure('listen', 'EADDRINUSE', address);
    this.#listeners.set(address, accept);
    return { [Symbol.dispose]: () => this.#listeners.get(address) === accept && this.#listeners.delete(address) };
  }

  connect({ host, port }: SocketAddress): Duplex {
    const address = `${host}:${port}`;
    const accept = this.#listeners.get(address);
    if (!accept) throw failure('connect', 'ECONNREFUSED', address);
    const [near, far] = duplexPair();
    // A broken connection just ends. Programs that want to know about errors can also listen for them.
    for (const side of [near, far]) side.on('error', () => undefined);
    far.once('close', () => near.destroy());
    near.once('close', () => far.destroy());
    accept(far);
    return near;
  }

  /** Returns one container's access to the network. @param open - collects what must be closed when the container ends */
  of(podIP: string, open: OpenResources): ContainerNetwork {
    const opened = (connection: Duplex): Duplex => {
      const closing = { [Symbol.dispose]: () => void connection.destroy() };
      open.add(closing);
      connection.once('close', () => open.delete(closing));
      return connection;
    };
    return {
      listen: (port, accept) => {
        const listener = this.listen({ host: podIP, port }, (connection) => accept(opened(connection)));
        open.add(listener);
        return listener;
      },
      connect: async ({ host, port }) => {
        const isOwn = host === 'localhost' || host === '127.0.0.1';
        return opened(this.connect({ host: isOwn ? podIP : host, port }));
      },
    };
  }
}

/** Returns an error with the code of a socket error, because programs compare codes. */
function failure(syscall: string, code: string, detail: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${syscall} ${code}: ${detail}`), { code, syscall });
}
