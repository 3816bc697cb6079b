import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BodyReader } from './read-body.ts';

/** Creates a request with only the parts that the reader uses. */
function request(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage;
}

const length = async (body: Uint8Array): Promise<number> => body.length;

describe('BodyReader', () => {
  it('reads up to a limit, and nothing of a body that declares a larger size', async () => {
    const reader = new BodyReader(1_000);
    const exact = request();
    exact.end(Buffer.alloc(10));
    expect(await reader.read(exact, { maxBytes: 10, use: length })).toBe(10);
    const larger = request();
    larger.end(Buffer.alloc(11));
    expect(await reader.read(larger, { maxBytes: 10, use: length })).toBe('too large');
    const announced = request({ 'content-length': '11' });
    expect(await reader.read(announced, { maxBytes: 10, use: length })).toBe('too large');
    expect(announced.listenerCount('data')).toBe(0);
  });

  it('limits the total held at a time, including bodies being processed', async () => {
    const reader = new BodyReader(15);
    let finish: () => void = () => {};
    const use = () =>
      new Promise<string>((resolve) => {
        finish = () => resolve('done');
      });
    const first = request();
    const held = reader.read(first, { maxBytes: 10, use });
    first.end(Buffer.alloc(10));
    await new Promise((resolve) => setImmediate(resolve));
    const second = request();
    second.end(Buffer.alloc(6));
    expect(await reader.read(second, { maxBytes: 10, use: length })).toBe('too many');
    finish();
    expect(await held).toBe('done');
    const third = request();
    third.end(Buffer.alloc(6));
    expect(await reader.read(third, { maxBytes: 10, use: length })).toBe(6);
  });

  it('stops when the caller disconnects, and releases what it held', async () => {
    const reader = new BodyReader(10);
    const gone = request();
    const read = reader.read(gone, { maxBytes: 10, use: length });
    gone.write(Buffer.alloc(8));
    await new Promise((resolve) => setImmediate(resolve));
    gone.destroy();
    await expect(read).rejects.toThrow('closed the connection');
    const next = request();
    next.end(Buffer.alloc(10));
    expect(await reader.read(next, { maxBytes: 10, use: length })).toBe(10);
  });
});
