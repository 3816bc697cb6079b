import type { Socket as DatagramSocket } from 'node:dgram';
import { BlockList, connect, createServer, isIPv4, type OnReadOpts, type Server, type Socket } from 'node:net';

/** Opens sockets in one network: the network of this machine, or of a cluster's pods. */
export interface Sockets {
  /** Listens on an address. Connections can be half-open: each direction is closed separately. */
  listen(address: SocketAddress): Promise<Server>;
  /**
   * Connects to an address. The socket can be half-open, and buffers incoming data until it is read.
   *
   * @param options - `onread`: receives incoming data without the stream's buffers. Sockets of another network ignore it, and emit
   * their data.
   * @throws the system's error
   */
  connect(address: SocketAddress, options?: { readonly onread?: OnReadOpts }): Promise<Socket>;
  /** Receives datagrams at an address; port 0 is any free port. */
  bind(address: SocketAddress): Promise<DatagramSocket>;
}

/** An address and a port. */
export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

// Node's datagram module, loaded when the first datagrams are forwarded.
const dgram = (): typeof import('node:dgram') => process.getBuiltinModule('node:dgram');

/**
 * Opens sockets on this machine. Listens only at loopback addresses: objects in the cluster choose the address, and must not
 * expose it to other machines.
 */
export const hostSockets: Sockets = {
  listen({ host, port }) {
    if (!isLoopback(host)) return Promise.reject(notLoopback());
    return new Promise((resolve, reject) => {
      const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, () => {
        // If a connection cannot be accepted (EMFILE), only its client is affected.
        server.off('error', reject).on('error', () => undefined);
        resolve(server);
      });
    });
  },
  connect({ host, port }, options) {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, allowHalfOpen: true, noDelay: true, ...options });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(socket);
      });
    });
  },
  bind({ host, port }) {
    // Only clients use port 0, and they may bind to any address.
    if (port !== 0 && !isLoopback(host)) return Promise.reject(notLoopback());
    return new Promise((resolve, reject) => {
      const socket = dgram().createSocket('udp4');
      socket.once('error', reject);
      socket.bind({ address: host, port, exclusive: true }, () => {
        socket.off('error', reject).on('error', () => undefined);
        resolve(socket);
      });
    });
  },
};

function isLoopback(host: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  return host === 'localhost' || loopback.check(host, isIPv4(host) ? 'ipv4' : 'ipv6');
}

function notLoopback(): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(
    'the cluster listens on loopback addresses only; use an address in 127.0.0.0/8',
  );
  error.code = 'EADDRNOTAVAIL';
  return error;
}
