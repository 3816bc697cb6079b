import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { SharedOutput } from './shared-output.ts';

/** Returns a reader that accepts each chunk only when the test releases it. */
function slowReader() {
  const heard: string[] = [];
  const waiting: (() => void)[] = [];
  const read = (chunk: Uint8Array): Promise<void> => {
    heard.push(String(chunk));
    return new Promise((resolve) => waiting.push(resolve));
  };
  return { heard, read, take: () => waiting.shift()?.() };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('SharedOutput', () => {
  function output() {
    const stream = new PassThrough({ highWaterMark: 1 });
    const log: string[] = [];
    stream.on('data', (chunk) => log.push(String(chunk)));
    return { stream, log, shared: new SharedOutput(stream) };
  }

  it('blocks the process until every reader has taken a chunk', async () => {
    const { stream, log, shared } = output();
    const [one, two] = [slowReader(), slowReader()];
    shared.passTo(one.read);
    shared.passTo(two.read);
    for (const text of ['a', 'b', 'c']) stream.write(text);
    await settled();
    expect([one.heard, two.heard, log]).toEqual([['a'], ['a'], ['a']]);
    one.take();
    await settled();
    expect(log).toEqual(['a']);
    two.take();
    await settled();
    expect([one.heard, two.heard, log]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('continues when a slow reader detaches', async () => {
    const { stream, log, shared } = output();
    const one = slowReader();
    const passed = shared.passTo(one.read);
    for (const text of ['a', 'b', 'c']) stream.write(text);
    await settled();
    passed[Symbol.dispose]();
    one.take();
    await settled();
    expect([one.heard, log]).toEqual([['a'], ['a', 'b', 'c']]);
  });

  it('does not wait after the process has ended', async () => {
    const { stream, log, shared } = output();
    const one = slowReader();
    shared.passTo(one.read);
    for (const text of ['a', 'b', 'c']) stream.write(text);
    await settled();
    shared.release();
    await settled();
    expect([one.heard, log]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
  });
});
