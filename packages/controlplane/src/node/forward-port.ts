import type { Socket } from 'node:net';
import type { PortForwardOptions } from '../kube-apiserver/pods/node-connector.ts';
import type { Sockets } from '../network/sockets.ts';

/**
 * Connects to a port and copies bytes both ways until the server closes the connection or `signal` is aborted. A client that has
 * closed its side still receives the response. Data that it sends after the server has closed is lost, as with a kubelet.
 *
 * @throws the connection's error.
 */
export async function forwardPort(
  host: string,
  { sockets, ...options }: PortForwardOptions & { readonly sockets: Sockets },
): Promise<void> {
  const { port, input, output, signal } = options;
  if (signal.aborted) return;
  const socket = await sockets.connect({ host, port });
  // An error also ends the stream that is read below.
  socket.on('error', () => undefined);
  const cut = (): void => void socket.destroy();
  signal.addEventListener('abort', cut, { once: true });
  try {
    if (signal.aborted) return;
    send(input, socket).catch(() => socket.destroy());
    await receive(socket, output);
  } finally {
    signal.removeEventListener('abort', cut);
    socket.destroy();
  }
}

async function receive(socket: Socket, output: PortForwardOptions['output']): Promise<void> {
  try {
    for await (const chunk of socket) await output(chunk as Uint8Array);
  } catch {
    // To the client, a connection that breaks later looks as if the server had closed it.
  }
}

async function send(input: AsyncIterable<Uint8Array>, socket: Socket): Promise<void> {
  for await (const chunk of input) {
    if (!socket.writable) return;
    if (!socket.write(chunk)) await drained(socket);
  }
  socket.end();
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}
