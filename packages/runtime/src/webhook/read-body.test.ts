import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BodyReader } from './read-body.ts';

/** A request of which only what the reader uses is there. */
function request(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage;
}

const length = async (body: Uint8Array): Promise<number> => body.length;

describe('BodyReader', () => {
  it('reads up to a limit, and not a byte of what says that it is larger', async () => {
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

  it('holds no more than a total at a time, and counts what is being answered', async () => {
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

  it('gives up when the caller goes away, and what it held', async () => {
    const reader = new BodyReader(10);
    const gone = request();
    const read = reader.read(gone, { maxBytes: 10, use: length });
    gone.write(Buffer.alloc(8));
    await new Promise((resolve) => setImmediate(resolve));
    gone.destroy();
    await expect(read).rejects.toThrow('went away');
    const next = request();
    next.end(Buffer.alloc(10));
    expect(await reader.read(next, { maxBytes: 10, use: length })).toBe(10);
  });
});
