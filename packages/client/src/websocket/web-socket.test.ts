import { createHash } from 'node:crypto';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, FrameReader, opcodes } from './frames.ts';
import { WebSocketClient } from './web-socket.ts';

/** Encodes an unmasked frame, as servers send it. */
function serverFrame(opcode: number, payload: Uint8Array, isLast = true): Buffer {
  const length = payload.byteLength;
  const head =
    length < 126
      ? Buffer.from([0, length])
      : length < 65_536
        ? Buffer.from([0, 126, length >> 8, length & 255])
        : long(length);
  head[0] = opcode | (isLast ? 0x80 : 0);
  return Buffer.concat([head, payload]);
}

function long(length: number): Buffer {
  const head = Buffer.alloc(10);
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** Creates a connection to a server that the test simulates; counts the bytes that the client has read. */
function connection() {
  const written: Buffer[] = [];
  let waiting: (() => void) | undefined;
  const state = { wanted: 0 };
  const stream = new Duplex({
    readableHighWaterMark: 1_000,
    read() {
      state.wanted++;
    },
    write(chunk, _encoding, callback) {
      written.push(chunk);
      waiting = callback;
    },
    writableHighWaterMark: 10,
  });
  const socket = new WebSocketClient(stream, { protocol: 'p', what: 'GET /x' });
  return { stream, socket, written, state, drain: () => waiting?.() };
}

describe('FrameReader', () => {
  it('decodes frames that a client encoded, however the bytes are split', () => {
    const sizes = fc.oneof(fc.nat(300), fc.constantFrom(125, 126, 65_535, 65_536, 70_000));
    fc.assert(
      fc.property(
        fc.array(sizes, { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1 }),
        (lengths, cuts) => {
          const payloads = lengths.map((length, i) => Buffer.alloc(length, i + 1));
          const bytes = Buffer.concat(payloads.map((payload) => encodeFrame(opcodes.binary, [payload])));
          const reader = new FrameReader(100_000);
          const got: Buffer[] = [];
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = cuts[i % cuts.length] ?? 1;
            got.push(...reader.push(bytes.subarray(at, at + size)).map(({ payload }) => payload));
            at += size;
          }
          expect(got.map(digest)).toEqual(payloads.map(digest));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('rejects a frame over the limit before it arrives', () => {
    expect(() => new FrameReader(1_000).push(long(2_000))).toThrow('2000 bytes exceeds the limit of 1000 bytes');
  });
});

describe('WebSocketClient', () => {
  it('joins fragments, replies to pings and ends with the close', async () => {
    const { stream, socket, written } = connection();
    stream.push(serverFrame(opcodes.binary, Buffer.from('one '), false));
    stream.push(serverFrame(opcodes.continuation, Buffer.from('message')));
    stream.push(serverFrame(opcodes.close, Buffer.from([3, 232])));
    const messages: string[] = [];
    for await (const message of socket.messages()) messages.push(message.toString());
    expect(messages).toEqual(['one message']);
    const [reply] = new FrameReader(100).push(Buffer.concat(written));
    expect(reply).toMatchObject({ opcode: opcodes.close });
  });

  it('answers a ping with its payload', async () => {
    const { stream, socket, written, drain } = connection();
    stream.push(serverFrame(opcodes.ping, Buffer.from('hi')));
    const reading = socket.messages().next();
    await expect.poll(() => written.length).toBe(1);
    drain();
    expect(new FrameReader(100).push(written[0] ?? Buffer.alloc(0))[0]).toMatchObject({ opcode: opcodes.pong });
    stream.push(serverFrame(opcodes.text, Buffer.from('next')));
    expect((await reading).value?.toString()).toBe('next');
  });

  it('reads from the server only as fast as its reader', async () => {
    const { stream, socket, state } = connection();
    for (let i = 0; i < 4; i++) stream.push(serverFrame(opcodes.binary, Buffer.alloc(1_000, i)));
    const messages = socket.messages();
    await messages.next();
    const before = state.wanted;
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.wanted).toBe(before);
    await messages.return();
    expect(stream.destroyed).toBe(true);
  });

  it('delays a write until the server reads', async () => {
    const { socket, drain } = connection();
    let isSent = false;
    const sending = socket.send(Buffer.alloc(100)).then(() => {
      isSent = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSent).toBe(false);
    drain();
    await sending;
  });

  it('rejects a fragmented message over the limit', async () => {
    const { stream, socket } = connection();
    const part = serverFrame(opcodes.continuation, Buffer.alloc(1 << 20), false);
    const reading = socket.messages().next();
    reading.catch(() => {});
    for (let i = 0; i < 33; i++) stream.push(part);
    await expect(reading).rejects.toMatchObject({
      code: 'KW2006',
      cause: new RangeError('a message of at least 34603008 bytes exceeds the limit of 33554432 bytes'),
    });
    expect(stream.destroyed).toBe(true);
  });

  it('rejects a message of endless empty fragments', async () => {
    const { stream, socket } = connection();
    stream.push(Buffer.concat(Array.from({ length: 16_385 }, () => serverFrame(0, Buffer.alloc(0), false))));
    await expect(socket.messages().next()).rejects.toMatchObject({
      cause: new RangeError('a message has more than 16384 fragments'),
    });
  });

  it.each([
    ['long', serverFrame(opcodes.ping, Buffer.alloc(126))],
    ['fragmented', serverFrame(opcodes.ping, Buffer.alloc(1), false)],
  ])('rejects a %s control frame', async (_, frame) => {
    const { stream, socket } = connection();
    stream.push(frame);
    await expect(socket.messages().next()).rejects.toMatchObject({ code: 'KW2006' });
  });

  it('fails if the connection ends without a close', async () => {
    const { stream, socket } = connection();
    stream.push(null);
    await expect(socket.messages().next()).rejects.toMatchObject({ code: 'KW2003' });
  });
});

function digest(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('hex');
}
