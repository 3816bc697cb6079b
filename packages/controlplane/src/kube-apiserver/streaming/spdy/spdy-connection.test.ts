import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';
import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { controlFrame, dataFrame, type Frame, frameTypes, numbers, readFrames } from './frames.ts';
import { HeaderBlocks } from './header-block.ts';
import { headerDictionary } from './header-dictionary.ts';
import { SpdyConnection } from './spdy-connection.ts';
import { SpdyError } from './spdy-error.ts';
import type { SpdyStream } from './spdy-stream.ts';

/** A connection to a minimal test client. */
class Client {
  readonly streams: SpdyStream[] = [];
  readonly blocks = new HeaderBlocks();
  readonly ended: Promise<unknown>;
  readonly #duplex: Duplex;
  readonly #frames: AsyncGenerator<Frame>;

  constructor() {
    const sent: Buffer[] = [];
    let wake: () => void = () => {};
    let over = false;
    this.#duplex = new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _encoding, done) {
        sent.push(chunk);
        wake();
        done();
      },
      destroy(_error, done) {
        over = true;
        wake();
        done(null);
      },
    });
    this.#frames = readFrames(
      (async function* () {
        for (;;) {
          const chunk = sent.shift();
          if (chunk) yield chunk;
          else if (over) return;
          else {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        }
      })(),
    );
    const connection = new SpdyConnection({ duplex: this.#duplex, opened: (stream) => this.streams.push(stream) });
    this.ended = connection.run().then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  send(bytes: Uint8Array): void {
    this.#duplex.push(bytes);
  }

  async open(id: number, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const block = await this.blocks.write(new Map(Object.entries(headers)));
    this.send(controlFrame(frameTypes.synStream, Buffer.concat([numbers(id, 0), Buffer.alloc(2), block])));
  }

  /** Returns the next frame as text. */
  async next(): Promise<string> {
    const { value, done } = await this.#frames.next();
    if (done) return 'the end';
    if (value.type === 'data') return `data ${value.streamId} ${value.bytes.toString()}${value.fin ? ' fin' : ''}`;
    const name = Object.entries(frameTypes).find(([, kind]) => kind === value.kind)?.[0];
    const values = Array.from({ length: Math.min(value.payload.length >> 2, 2) }, (_, index) =>
      value.payload.readUInt32BE(4 * index),
    );
    return `${name} ${name === 'synReply' ? values[0] : values.join(' ')}`;
  }

  close(): void {
    this.#duplex.push(null);
  }
}

describe('headerDictionary', () => {
  it('matches the dictionary in the specification', () => {
    const dictionary = headerDictionary();
    expect(dictionary.length).toBe(1423);
    // zlib writes the dictionary's checksum into the stream's header.
    expect(deflateSync('x', { dictionary }).readUInt32BE(2)).toBe(0xe3c6a7c2);
  });
});

describe('SpdyConnection', () => {
  it('opens streams with headers, replies to them, and transfers bytes in both directions', async () => {
    const client = new Client();
    await client.open(1, { streamType: 'error', port: '80' });
    await client.open(3, { streamtype: 'data' });
    expect([await client.next(), await client.next()]).toEqual(['synReply 1', 'synReply 3']);
    const [first, second] = client.streams;
    expect([first?.headers.get('streamtype'), first?.headers.get('port')]).toEqual(['error', '80']);
    client.send(dataFrame(3, Buffer.from('question'), { fin: false }));
    client.send(dataFrame(3, Buffer.alloc(0), { fin: true }));
    let heard = '';
    for await (const chunk of second?.input ?? []) heard += Buffer.from(chunk).toString();
    expect(heard).toBe('question');
    await second?.write(Buffer.from('answer'));
    await second?.end();
    await second?.write(Buffer.from('too late'));
    expect([await client.next(), await client.next()]).toEqual(['data 3 answer', 'data 3  fin']);
    client.close();
    expect(await client.ended).toBeUndefined();
  });

  it('accepts frames split anywhere, and delivers long data as it arrives', async () => {
    const client = new Client();
    const block = await client.blocks.write(new Map([['streamtype', 'data']]));
    const open = controlFrame(frameTypes.synStream, Buffer.concat([numbers(1, 0), Buffer.alloc(2), block]));
    const bytes = Buffer.concat([open, dataFrame(1, Buffer.from('abcdef'), { fin: true })]);
    for (const byte of bytes) client.send(Buffer.of(byte));
    expect(await client.next()).toBe('synReply 1');
    let heard = '';
    for await (const chunk of client.streams[0]?.input ?? []) heard += Buffer.from(chunk).toString();
    expect(heard).toBe('abcdef');
  });

  it('answers pings and ignores unknown frames', async () => {
    const client = new Client();
    client.send(controlFrame(frameTypes.settings, numbers(0)));
    client.send(controlFrame(99, Buffer.from('whatever')));
    client.send(dataFrame(77, Buffer.from('for nobody'), { fin: true }));
    client.send(controlFrame(frameTypes.ping, numbers(5)));
    expect(await client.next()).toBe('ping 5');
  });

  it("ends a stream's input when the client resets it or disconnects", async () => {
    const client = new Client();
    await client.open(1);
    await client.open(3);
    await client.next();
    await client.next();
    client.send(controlFrame(frameTypes.reset, numbers(1, 5)));
    for await (const _chunk of client.streams[0]?.input ?? []) expect.unreachable();
    client.close();
    for await (const _chunk of client.streams[1]?.input ?? []) expect.unreachable();
    await client.ended;
  });

  it('rejects invalid stream IDs, and more streams than the limit', async () => {
    const client = new Client();
    for (const id of [2, 5, 3]) await client.open(id);
    expect([await client.next(), await client.next(), await client.next()]).toEqual([
      'reset 2 1',
      'synReply 5',
      'reset 3 1',
    ]);
    for (let id = 7; id <= 5 + 2 * 512; id += 2) await client.open(id);
    for (let id = 7; id < 5 + 2 * 512; id += 2) expect(await client.next()).toBe(`synReply ${id}`);
    expect(await client.next()).toBe(`reset ${5 + 2 * 512} 3`);
  });

  it('applies backpressure while a stream is not read, and continues afterwards', async () => {
    const client = new Client();
    await client.open(1);
    await client.next();
    for (let i = 0; i < 40; i++) client.send(dataFrame(1, Buffer.alloc(64 * 1024), { fin: i === 39 }));
    client.send(controlFrame(frameTypes.ping, numbers(7)));
    const [stream] = client.streams;
    await expect.poll(() => stream?.input.size).toBeGreaterThan(1024 * 1024);
    expect(stream?.input.size).toBeLessThan(1024 * 1024 + 2 * 64 * 1024);
    let heard = 0;
    for await (const chunk of stream?.input ?? []) heard += chunk.length;
    expect(heard).toBe(40 * 64 * 1024);
    expect(await client.next()).toBe('ping 7');
  });

  it.each([
    ['another version', controlFrame(frameTypes.ping, numbers(1)).fill(4, 1, 2), /version 4 is not supported/],
    ['a long control frame', controlFrame(frameTypes.settings, Buffer.alloc(20_000)), /a control frame of 20000 bytes/],
    ['headers that are not compressed', controlFrame(frameTypes.synStream, Buffer.alloc(40, 65)), /cannot decompress/],
    ['a frame without a stream', controlFrame(frameTypes.reset, Buffer.alloc(2)), /too short/],
    ['headers that are a bomb', bomb(), /more than 65536 bytes/],
    ['headers with a wrong length', packed(numbers(1, 5_000)), /is truncated/],
    ['headers with too many names', packed(numbers(0xffff_ffff)), /more than 100 names/],
  ])('ends the connection of a client that sends %s', async (_name, bytes, reason) => {
    const client = new Client();
    client.send(bytes);
    expect(String(await client.ended)).toMatch(reason);
    expect(await client.next()).toBe('the end');
  });

  it('either continues or reports a violation when a byte of valid frames is changed', async () => {
    const valid = Buffer.concat([
      packed(numbers(0)),
      controlFrame(frameTypes.settings, numbers(0)),
      dataFrame(1, Buffer.from('content'), { fin: false }),
      controlFrame(frameTypes.reset, numbers(1, 5)),
      controlFrame(frameTypes.ping, numbers(5)),
    ]);
    let violations = 0;
    for (let at = 0; at < valid.length; at++) {
      const client = new Client();
      const changed = Buffer.from(valid);
      changed[at] = crc32(Buffer.of(at)) & 255;
      client.send(changed);
      client.close();
      const error = await client.ended;
      if (error === undefined) continue;
      expect(error, `byte ${at}`).toBeInstanceOf(SpdyError);
      violations++;
    }
    expect(violations).toBeGreaterThan(10);
  });
});

/** Builds a SYN_STREAM frame with a compressed header block. */
function packed(block: Buffer): Buffer {
  const bytes = deflateSync(block, { dictionary: headerDictionary() });
  return controlFrame(frameTypes.synStream, Buffer.concat([numbers(1, 0), Buffer.alloc(2), bytes]));
}

/** Returns a frame whose ten thousand bytes of headers expand to ten megabytes. */
function bomb(): Buffer {
  return packed(Buffer.alloc(10_000_000));
}
