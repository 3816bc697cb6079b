import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { CallRunner, CallSpec } from '../call/call-runner.ts';
import { TransportError } from '../transport/transport-error.ts';
import { encodeFrame, FrameReader, MessageJoiner, opcodes } from './frames.ts';

/** Maximum size of a message, fragmented or not. Servers split output into messages of a few dozen kilobytes. */
const maxMessageBytes = 32 << 20;
/** Status code 1000. */
const normalClosure: Uint8Array = Uint8Array.of(0x03, 0xe8);
const handshakeGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * Opens a WebSocket to a subresource of the API server.
 *
 * @param spec - the call without its handshake.
 * @param protocols - the subprotocols offered, in order of preference; the server must choose one.
 * @throws StatusError, TransportError as for every call.
 */
export async function openWebSocket(
  runner: CallRunner,
  spec: CallSpec,
  protocols: readonly string[],
): Promise<WebSocketClient> {
  const key = randomBytes(16).toString('base64');
  const { headers, upgraded, status } = await runner.run({
    ...spec,
    method: 'GET',
    upgrade: true,
    longRunning: true,
    headers: {
      ...spec.headers,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
      'sec-websocket-protocol': protocols.join(', '),
    },
  });
  const what = `GET ${spec.path.split('?', 1)[0]}`;
  if (!upgraded) {
    throw new TransportError('KW2006', {
      what: `${what} failed`,
      why: `the server responded with status ${status} instead of switching to the WebSocket protocol`,
    });
  }
  const protocol = headers['sec-websocket-protocol'] ?? '';
  const accept = createHash('sha1')
    .update(key + handshakeGuid)
    .digest('base64');
  if (headers['sec-websocket-accept'] !== accept || !protocols.includes(protocol)) {
    upgraded.destroy();
    const why = protocols.includes(protocol)
      ? 'the server sent an invalid sec-websocket-accept header'
      : `the server chose the WebSocket subprotocol ${JSON.stringify(protocol)} instead of ${protocols.join(' or ')}`;
    throw new TransportError('KW2006', { what: `${what} failed`, why });
  }
  return new WebSocketClient(upgraded, { protocol, what });
}

/** The client's side of a WebSocket. Reading it applies backpressure to the server; a write waits for the server to read. */
export class WebSocketClient {
  /** The subprotocol that the server chose. */
  readonly protocol: string;
  readonly #stream: Duplex;
  readonly #what: string;

  constructor(stream: Duplex, options: { readonly protocol: string; readonly what: string }) {
    this.#stream = stream;
    this.protocol = options.protocol;
    this.#what = options.what;
  }

  /**
   * Joins the parts and sends them as one message; resolves once there is room for another message. Messages after the
   * end are dropped.
   */
  send(...parts: readonly Uint8Array[]): Promise<void> {
    return this.#write(encodeFrame(opcodes.binary, parts));
  }

  /**
   * Yields messages until the server closes the connection; replies to pings. Can be read once. Leaving the loop closes
   * the connection.
   */
  async *messages(): AsyncGenerator<Buffer, void, undefined> {
    const reader = new FrameReader(maxMessageBytes);
    const joiner = new MessageJoiner(maxMessageBytes);
    try {
      for await (const chunk of this.#stream) {
        for (const frame of this.#valid(() => reader.push(chunk))) {
          const { opcode, payload } = frame;
          if (opcode === opcodes.ping) await this.#write(encodeFrame(opcodes.pong, [payload]));
          if (opcode === opcodes.close) {
            await this.#write(encodeFrame(opcodes.close, [payload.subarray(0, 2)]));
            return;
          }
          if (opcode > opcodes.binary) continue;
          const message = this.#valid(() => joiner.push(frame));
          if (message) yield message;
        }
      }
    } catch (cause) {
      if (cause instanceof TransportError) throw cause;
      throw new TransportError('KW2003', { what: `${this.#what} failed`, why: 'the connection was lost' }, { cause });
    } finally {
      this.#stream.destroy();
    }
    throw new TransportError('KW2003', {
      what: `${this.#what} failed`,
      why: 'the connection ended without a close frame',
    });
  }

  /** Sends a close frame and closes the connection. Later calls do nothing. */
  close(): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.writableEnded) return;
    stream.end(encodeFrame(opcodes.close, [normalClosure]), () => stream.destroy());
  }

  /** Closes the connection immediately: a pending read fails. */
  destroy(): void {
    this.#stream.destroy();
  }

  #valid<T>(read: () => T): T {
    try {
      return read();
    } catch (cause) {
      throw new TransportError(
        'KW2006',
        { what: `${this.#what} failed`, why: 'the server sent an invalid WebSocket frame' },
        { cause },
      );
    }
  }

  #write(frame: Buffer): Promise<void> {
    const stream = this.#stream;
    if (stream.destroyed || stream.writableEnded || stream.write(frame)) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        stream.off('drain', settle);
        stream.off('close', settle);
        resolve();
      };
      stream.on('drain', settle);
      stream.on('close', settle);
    });
  }
}
