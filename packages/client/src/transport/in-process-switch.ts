import type { Duplex } from 'node:stream';
import type { InProcessUpgrade } from './in-process-transport.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';

/** Maximum size of a response's head, in bytes; larger than any head that the in-process server writes. */
const maxHeadBytes = 16 << 10;

/** A request to switch protocols within a process. Connects two streams and reads the head of the server's response. */
export class InProcessSwitch {
  readonly #request: TransportRequest;
  #stream: Duplex | undefined;

  constructor(request: TransportRequest) {
    this.#request = request;
  }

  /** True once the server has taken over the stream. */
  get isTaken(): boolean {
    return this.#stream !== undefined;
  }

  /** Passes one end to the server; the signal closes both ends. */
  take(signal: AbortSignal): InProcessUpgrade {
    const [ours, theirs] = joinedStreams();
    this.#stream = ours;
    signal.addEventListener('abort', () => ours.destroy(signal.reason), { once: true });
    const { method, path: url, headers = {} } = this.#request;
    return { stream: theirs, head: new Uint8Array(0), request: { method, url, headers, httpVersion: '1.1' } };
  }

  /** Reads the head that the server wrote. @param done - called when the stream is closed. */
  async response(done: () => void): Promise<TransportResponse> {
    const stream = this.#stream;
    if (!stream) throw new Error('the server has not switched protocols');
    stream.once('close', done);
    const { status, headers } = await readHead(stream, `${this.#request.method} ${this.#request.path}`);
    return { status, headers, body: (async function* () {})(), upgraded: stream };
  }
}

/** Creates a pair of connected streams. A write completes once the peer has read the data. */
function joinedStreams(): readonly [Duplex, Duplex] {
  // Only protocol switches need streams; an import would load them at every start.
  const { Duplex } = process.getBuiltinModule('node:stream');
  const ends: Duplex[] = [];
  const reading: (() => void)[] = [];
  const end = (self: number, other: number): Duplex =>
    new Duplex({
      read() {
        const resume = reading[self];
        reading[self] = (): void => {};
        resume?.();
      },
      write(chunk, _encoding, callback) {
        if (ends[other]?.push(chunk)) callback();
        else reading[other] = callback;
      },
      final(callback) {
        ends[other]?.push(null);
        callback();
      },
      destroy(error, callback) {
        // As with sockets, the peer can first read the end of the stream, so destroy it in a later microtask.
        const peer = ends[other];
        if (peer && !peer.destroyed) queueMicrotask(() => peer.destroy());
        callback(error);
      },
    });
  ends.push(end(0, 1), end(1, 0));
  for (const each of ends) each.on('error', () => {});
  return ends as [Duplex, Duplex]; // two were pushed
}

async function readHead(
  stream: Duplex,
  what: string,
): Promise<{ readonly status: number; readonly headers: Readonly<Record<string, string>> }> {
  let head = Buffer.alloc(0);
  for (;;) {
    const end = head.indexOf('\r\n\r\n');
    if (end >= 0) {
      const rest = head.subarray(end + 4);
      if (rest.length > 0) stream.unshift(rest);
      return parseHead(head.toString('latin1', 0, end));
    }
    if (head.length > maxHeadBytes || stream.destroyed) {
      stream.destroy();
      throw new TransportError('KW2006', { what: `${what} failed`, why: 'the server did not switch protocols' });
    }
    const chunk = stream.read() as Buffer | null;
    if (chunk) head = Buffer.concat([head, chunk]);
    else await changed(stream);
  }
}

function changed(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      stream.off('readable', settle);
      stream.off('close', settle);
      resolve();
    };
    stream.on('readable', settle);
    stream.on('close', settle);
  });
}

function parseHead(text: string): { readonly status: number; readonly headers: Readonly<Record<string, string>> } {
  const [first = '', ...lines] = text.split('\r\n');
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(first.split(' ')[1]) || 0, headers };
}
