import { describe, expect, it } from 'vitest';
import { readFlags } from './flags.mjs';

describe('readFlags', () => {
  it('starts with the sample, in the foreground, on any port', () => {
    const expected = { once: false, empty: false, allowRootPods: false, port: undefined, help: false };
    expect(readFlags([])).toEqual(expected);
    const all = readFlags(['--once', '--empty', '--allow-root-pods', '--port', '6443']);
    expect(all).toEqual({ once: true, empty: true, allowRootPods: true, port: 6443, help: false });
  });

  it('names what it does not understand', () => {
    expect(() => readFlags(['--wat'])).toThrow(/--wat/);
    expect(() => readFlags(['--port', 'x'])).toThrow('--port must be a number from 0 to 65535, not x');
  });
});
