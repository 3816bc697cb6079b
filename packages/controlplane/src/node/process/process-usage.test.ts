import { describe, expect, it } from 'vitest';
import { parseEntry, processUsages, usagesIn } from './process-usage.ts';

const stat =
  '42 (a (strange) name) S 7 42 42 0 -1 4194304 500 0 3 0 150 50 30 20 20 0 2 0 1000 5000000 256 18446744073709551615';

describe('parseEntry', () => {
  it('reads the parent, all processor times and the memory', () => {
    expect(parseEntry(stat)).toEqual({ parent: 7, ticks: 250, pages: 256 });
  });
});

describe('usagesIn', () => {
  it('adds up a process and its descendants', () => {
    const entry = (parent: number) => ({ parent, ticks: 100, pages: 10 });
    const entries = new Map([
      [1, entry(0)],
      [2, entry(1)],
      [3, entry(2)],
      [4, entry(1)],
      [5, entry(0)],
    ]);
    expect(usagesIn(entries, [2, 5, 9])).toEqual(
      new Map([
        [2, { cpuSeconds: 2, memoryBytes: 20 * 4_096 }],
        [5, { cpuSeconds: 1, memoryBytes: 10 * 4_096 }],
      ]),
    );
  });
});

describe.skipIf(process.platform !== 'linux')('processUsages', () => {
  it('reads the usage of running processes', async () => {
    const usages = await processUsages([process.pid, 2 ** 30]);
    expect([...usages.keys()]).toEqual([process.pid]);
    const { cpuSeconds = 0, memoryBytes = 0 } = usages.get(process.pid) ?? {};
    expect(cpuSeconds).toBeGreaterThan(0);
    expect(memoryBytes).toBeGreaterThan(10_000_000);
  });
});
