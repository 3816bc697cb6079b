import { Buffer } from 'node:buffer';
import { setMaxListeners } from 'node:events';
import { badRequest } from '@kubewright/apimachinery';
import type { RawData, WebSocket } from 'ws';
import { ByteQueue } from './byte-queue.ts';
import type { ForwardPort } from './spdy-port-forward.ts';

/** Maximum number of bytes that the pod has not read; beyond it, the socket is paused. */
const maxUnreadBytes = 1024 * 1024;
const maxPorts = 64;

/**
 * Port forwarding over the channels of one WebSocket, with one connection per port. Channel 2n carries the data of the
 * nth port, channel 2n + 1 its errors. The first message of each channel is the port in two bytes, little-endian.
 * Mirrors the kubelet (1.36).
 */
export class PortForwardChannels {
  readonly #socket: WebSocket;
  readonly #ports: readonly number[];
  readonly #forward: ForwardPort;
  readonly #inputs: readonly ByteQueue[];
  readonly #over = new AbortController();

  constructor(socket: WebSocket, options: { readonly ports: readonly number[]; readonly forward: ForwardPort }) {
    this.#socket = socket;
    this.#ports = options.ports;
    this.#forward = options.forward;
    this.#inputs = options.ports.map(() => new ByteQueue());
    // Every forwarded connection adds a listener to the signal.
    setMaxListeners(0, this.#over.signal);
  }

  /** Connects to all ports. Closes the socket when all connections have ended. */
  start(): void {
    const socket = this.#socket;
    for (const input of this.#inputs) {
      input.drained = () => {
        if (socket.isPaused) socket.resume();
      };
    }
    socket.on('message', (data) => this.#receive(data));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      this.#over.abort();
      for (const input of this.#inputs) input.end();
    });
    void Promise.all(this.#ports.map((port, index) => this.#connect(port, index))).then(() => socket.close(1000));
  }

  async #connect(port: number, index: number): Promise<void> {
    const name = Buffer.alloc(2);
    name.writeUInt16LE(port);
    const [data, error] = [2 * index, 2 * index + 1];
    void this.#send(data, name);
    void this.#send(error, name);
    const input = this.#inputs[index] ?? new ByteQueue();
    const output = (chunk: Uint8Array): Promise<void> => this.#send(data, chunk);
    try {
      await this.#forward({ port, input, output, signal: this.#over.signal });
    } catch (cause) {
      await this.#send(error, Buffer.from(cause instanceof Error ? cause.message : String(cause)));
    }
    input.end();
  }

  /** Sends a chunk. Resolves when it is sent, or when the socket is closed. */
  #send(channel: number, chunk: Uint8Array): Promise<void> {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    return new Promise((resolve) => socket.send(Buffer.concat([Buffer.of(channel), chunk]), () => resolve()));
  }

  #receive(data: RawData): void {
    const message = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
    const channel = message[0] ?? 1;
    const input = channel % 2 === 0 ? this.#inputs[channel / 2] : undefined;
    if (!input) return;
    input.push(message.subarray(1));
    if (input.size > maxUnreadBytes) this.#socket.pause();
  }
}

/** Reads the ports from the query: repeated parameters, or a comma-separated list. @throws StatusError 400 */
export function readPorts(query: URLSearchParams): readonly number[] {
  const texts = query.getAll('ports').flatMap((text) => text.split(','));
  if (texts.length === 0) throw badRequest('query parameter "ports" is required');
  if (texts.length > maxPorts) throw badRequest(`at most ${maxPorts} ports can be forwarded over one connection`);
  return texts.map((text) => {
    const port = Number(text);
    if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
    throw badRequest(`unable to parse ${JSON.stringify(text)} as a port: must be a number from 1 to 65535`);
  });
}
