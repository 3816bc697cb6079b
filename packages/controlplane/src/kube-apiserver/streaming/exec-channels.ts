import { Buffer } from 'node:buffer';
import type { Clock } from '@kubewright/apimachinery';
import type { RawData, WebSocket } from 'ws';
import { ByteQueue } from './byte-queue.ts';
import type { CommandStatus, CommandStreams } from './command-streams.ts';
import type { TerminalSize } from './terminal-sizes.ts';
import { readTerminalSizes } from './terminal-sizes.ts';

/** The supported protocol versions, in order of preference. Those without a number are version 1. */
export const execProtocols: readonly string[] = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
];

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
/** Maximum number of bytes that the command has not read; beyond it, the socket is paused. */
const maxUnreadBytes = 1024 * 1024;
/** Maximum number of unread bytes of terminal sizes; beyond it, older sizes are dropped. */
const maxUnreadSizeBytes = 4_096;
/** Maximum number of unsent bytes without backpressure; beyond it, output waits for the client. */
const maxWaitingBytes = 256 * 1024;
/**
 * Maximum number of unsent bytes; beyond it, the connection is closed: a connector that does not wait must not fill memory for a
 * stalled client.
 */
const maxUnsentBytes = 64 * 1024 * 1024;

/**
 * Delay before the first message. kubectl starts reading before it has created its streams and drops data for unknown streams;
 * kubelets never respond that fast.
 */
const settleMs = 20;

/**
 * The streams of an exec or attach, multiplexed over one WebSocket. The first byte of each message is its channel; in base64
 * protocols, messages are text, and the first character is the channel's digit.
 */
export class ExecChannels implements CommandStreams {
  readonly stdin: ByteQueue = new ByteQueue();
  readonly #resize: ByteQueue = new ByteQueue();
  readonly sizes: AsyncIterable<TerminalSize> = readTerminalSizes(this.#resize);
  readonly #socket: WebSocket;
  readonly #isText: boolean;
  readonly #isFirstVersion: boolean;
  /** Messages queued until the client is ready; undefined afterwards. */
  #early: (() => void)[] | undefined = [];

  constructor(
    socket: WebSocket,
    options: { readonly clock: Clock; readonly protocol: string; readonly closed: () => void },
  ) {
    const { protocol } = options;
    this.#socket = socket;
    this.#isText = protocol.includes('base64.');
    this.#isFirstVersion = !/^v\d/.test(protocol);
    const settled = options.clock.setTimer(settleMs, () => this.#settle());
    this.stdin.drained = () => {
      if (socket.isPaused) socket.resume();
    };
    socket.on('message', (data) => this.#receive(data));
    socket.on('close', () => {
      settled[Symbol.dispose]();
      // Resolves the promises of queued output, which can no longer be sent.
      this.#settle();
      this.stdin.end();
      this.#resize.end();
      options.closed();
    });
    socket.on('error', () => socket.terminate());
  }

  stdout(chunk: Uint8Array): Promise<void> {
    return this.#send(channels.stdout, chunk);
  }

  stderr(chunk: Uint8Array): Promise<void> {
    return this.#send(channels.stderr, chunk);
  }

  /** Sends the final status, then closes the connection. In version 1, only errors are sent, as text. */
  end(status: CommandStatus): void {
    const text = this.#isFirstVersion ? (status.message ?? '') : JSON.stringify(status);
    const isSilent = this.#isFirstVersion && status.status === 'Success';
    const last = async (): Promise<void> => {
      if (!isSilent) await this.#flush(channels.error, Buffer.from(text));
    };
    // Close only after everything is sent: once closed, the client has little time to read the rest.
    this.#whenSettled(() => void last().then(this.#close));
  }

  #settle(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const go of early) go();
  }

  readonly #close = (): void => this.#socket.close(1000);

  #send(channel: number, chunk: Uint8Array): Promise<void> {
    if (!this.#early) return this.#write(channel, chunk);
    return new Promise((resolve) => {
      this.#whenSettled(() => void this.#write(channel, chunk).then(resolve));
    });
  }

  #whenSettled(go: () => void): void {
    if (this.#early) this.#early.push(go);
    else go();
  }

  /** Sends a message. Resolves when the client can take more. */
  async #write(channel: number, chunk: Uint8Array): Promise<void> {
    const sent = this.#flush(channel, chunk);
    if (this.#socket.bufferedAmount > maxWaitingBytes) await sent;
  }

  /** Sends a message. Resolves when it is sent, or when the socket is closed. */
  #flush(channel: number, chunk: Uint8Array): Promise<void> {
    const socket = this.#socket;
    if (socket.bufferedAmount > maxUnsentBytes) socket.terminate();
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    return new Promise((resolve) => {
      const message = this.#isText
        ? `${channel}${Buffer.from(chunk).toString('base64')}`
        : Buffer.concat([Buffer.of(channel), chunk]);
      socket.send(message, () => resolve());
    });
  }

  #receive(data: RawData): void {
    const message = this.#decode(Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer));
    const channel = message[0];
    if (channel === channels.stdin) {
      this.stdin.push(message.subarray(1));
      if (this.stdin.size > maxUnreadBytes) this.#socket.pause();
    } else if (channel === channels.resize) {
      // A terminal's newest size replaces the sizes that the command has not read.
      if (this.#resize.size > maxUnreadSizeBytes) this.#resize.clear();
      this.#resize.push(Buffer.concat([message.subarray(1), Buffer.from('\n')]));
    }
    // In version 5 of the protocol, the client closes a channel by its number in the second byte.
    else if (channel === channels.close && message[1] === channels.stdin) this.stdin.end();
  }

  /** Returns a message in the binary form: the channel in the first byte, then the data. */
  #decode(message: Buffer): Buffer {
    if (!this.#isText || message.length === 0) return message;
    // Anything else than a digit is a channel that does not exist.
    const channel = (message[0] ?? 0) - '0'.charCodeAt(0);
    return Buffer.concat([Buffer.of(channel), Buffer.from(message.toString('latin1', 1), 'base64')]);
  }
}
