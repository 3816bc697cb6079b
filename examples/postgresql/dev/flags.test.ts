import { describe, expect, it } from 'vitest';
import { readFlags } from './flags.mjs';

describe('readFlags', () => {
  it('starts with the sample, in the foreground, on any port', () => {
    const nothing = {
      network: 'loopback',
      once: false,
      empty: false,
      images: undefined,
      allowHostPrograms: false,
      allowRootPods: false,
    };
    expect(readFlags([])).toEqual({ ...nothing, port: undefined, help: false });
    const all = [
      '--once',
      '--empty',
      '--images',
      'i.json',
      '--allow-host-programs',
      '--allow-root-pods',
      '--network',
      'isolated',
      '--port',
      '6443',
    ];
    const everything = {
      network: 'isolated',
      once: true,
      empty: true,
      images: 'i.json',
      allowHostPrograms: true,
      allowRootPods: true,
    };
    expect(readFlags(all)).toEqual({ ...everything, port: 6443, help: false });
  });

  it('names unknown flags and invalid values', () => {
    expect(() => readFlags(['--wat'])).toThrow(/--wat/);
    expect(() => readFlags(['--network', 'x'])).toThrow('invalid --network x: must be loopback or isolated');
    expect(() => readFlags(['--port', 'x'])).toThrow('invalid --port x: must be an integer from 0 to 65535');
  });
});
