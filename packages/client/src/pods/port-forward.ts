import { createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Clock, Timer } from '@kubewright/apimachinery';
import type { CallOptions } from '../resource/call-options.ts';
import { TransportError } from '../transport/transport-error.ts';
import type { WebSocketClient } from '../websocket/web-socket.ts';

/** The subprotocol, which kubelets serve too: per port, one channel for data and one for errors. */
export const portForwardProtocols: readonly string[] = ['v4.channel.k8s.io'];

const channels = { data: 0, error: 1 } as const;
const maxMessageBytes = 32 << 10;
/**
 * Time that a tunnel stays open after the last byte from the pod once the local client has ended its side, in
 * milliseconds. The protocol cannot forward a half-close, and a client that has disconnected looks the same as a client
 * that waits for the rest of a response.
 */
const halfClosedMs = 60_000;

/** Options for {@link PodsClient.portForward}. The signal stops the forwarding. */
export interface PortForwardOptions extends CallOptions {
  /** The pod's port. */
  readonly port: number;
  /** The port on this machine; 0 for any free port. @defaultValue 0 */
  readonly localPort?: number;
  /** The address on this machine. @defaultValue `127.0.0.1` */
  readonly address?: string;
  /** Called with the error of a connection that could not be forwarded; other connections are not affected. */
  readonly onError?: (error: unknown) => void;
}

/**
 * A listener on this machine that forwards to a port of a pod. Disposing it closes its connections.
 *
 * @example
 * ```ts
 * await using forward: PortForward = await client.pods.portForward({ namespace: 'shop', name: 'web-0' }, { port: 8080 });
 * const response = await fetch(`http://127.0.0.1:${forward.localPort}/healthz`);
 * ```
 */
export interface PortForward extends AsyncDisposable {
  readonly localPort: number;
}

/** Turns a port-forward WebSocket into a stream of bytes. */
export function portStream(
  socket: WebSocketClient,
  { pod, port, signal }: { readonly pod: string; readonly port: number } & CallOptions,
): Duplex {
  const messages = payloads(socket, `port ${port} of pod ${pod}`);
  const onAbort = (): void => void stream.destroy(signal?.reason);
  const stream = new Duplex({
    read() {
      messages.next().then(
        (next) => void this.push(next.done ? null : next.value),
        (error: Error) => this.destroy(error),
      );
    },
    write(chunk: Buffer, _encoding, callback) {
      sendPieces(socket, chunk).then(() => callback(), callback);
    },
    destroy(error, callback) {
      signal?.removeEventListener('abort', onAbort);
      socket.destroy();
      callback(error);
    },
  });
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return stream;
}

async function sendPieces(socket: WebSocketClient, bytes: Uint8Array): Promise<void> {
  const channel = Uint8Array.of(channels.data);
  for (let at = 0; at < bytes.byteLength; at += maxMessageBytes) {
    await socket.send(channel, bytes.subarray(at, at + maxMessageBytes));
  }
}

/** Yields the bytes from the pod. @throws TransportError if the pod refuses the connection. */
async function* payloads(socket: WebSocketClient, target: string): AsyncGenerator<Buffer, void, undefined> {
  // The first message of each channel holds the number of the port.
  const opened = new Set<number>();
  for await (const message of socket.messages()) {
    const [channel = channels.error] = message;
    const bytes = message.subarray(1);
    if (!opened.has(channel)) opened.add(channel);
    else if (channel === channels.error) {
      throw new TransportError('KW2003', {
        what: `cannot connect to ${target}`,
        why: bytes.toString('utf8'),
      });
    } else if (bytes.length > 0) yield bytes;
  }
}

/** Listens, and connects each incoming connection to a stream that `open` returns. */
export async function listen(
  open: (signal: AbortSignal) => Promise<Duplex>,
  options: Omit<PortForwardOptions, 'port'> & { readonly clock: Clock },
): Promise<PortForward> {
  const { localPort = 0, address = '127.0.0.1', signal, onError, clock } = options;
  signal?.throwIfAborted();
  const stop = new AbortController();
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (local) => {
    sockets.add(local);
    local.on('close', () => sockets.delete(local)).on('error', () => {});
    open(stop.signal).then(
      (remote) => join({ local, remote }, { clock, onError }),
      (error: unknown) => {
        local.destroy();
        if (!stop.signal.aborted) onError?.(error);
      },
    );
  });
  await listening(server, { port: localPort, host: address });
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', close);
    stop.abort(new DOMException('the port is no longer forwarded', 'AbortError'));
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  signal?.addEventListener('abort', close, { once: true });
  const bound = server.address();
  return { localPort: typeof bound === 'object' && bound ? bound.port : localPort, [Symbol.asyncDispose]: close };
}

function join(
  { local, remote }: { readonly local: Socket; readonly remote: Duplex },
  { clock, onError }: { readonly clock: Clock; readonly onError: ((error: unknown) => void) | undefined },
): void {
  // The client disconnected while the tunnel was being opened, so its 'close' event has already fired.
  if (local.destroyed) {
    remote.on('error', () => {}).destroy();
    return;
  }
  let idle: Timer | undefined;
  const restart = (): void => {
    idle?.[Symbol.dispose]();
    idle = clock.setTimer(halfClosedMs, () => local.destroy(), { unref: true });
  };
  const onLocalEnd = (): void => {
    restart();
    remote.on('data', restart);
  };
  remote
    .on('error', (error) => onError?.(error))
    .on('close', () => {
      idle?.[Symbol.dispose]();
      local.destroySoon();
    });
  local.on('close', () => remote.destroy());
  if (local.readableEnded) onLocalEnd();
  else local.once('end', onLocalEnd);
  local.pipe(remote);
  remote.pipe(local);
}

function listening(server: Server, at: { readonly port: number; readonly host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
