import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptedDifferences, type Difference } from './accepted-differences.ts';
import { ClusterUnderTest } from './cluster-under-test.ts';
import { tables } from './tables/index.mjs';
import { type Result, runTable, type Table } from './wire.mjs';

/** Maximum memory growth of the process during a table, including the test itself, in MiB. */
const GROWTH_MIB = 300;

/** Sends a table to an embedded cluster and compares every response with the recorded response. */
export function replayTable(name: string): void {
  const table = tables[name] as Table;
  const recorded = JSON.parse(
    readFileSync(new URL(`./testdata/${name}-1.36.3.json`, import.meta.url), 'utf8'),
  ) as readonly Result[];
  const differences = acceptedDifferences[name] ?? {};

  describe(`bad input: ${name}`, () => {
    const health = new Map<string, number>();
    let results = new Map<string, Result>();
    let faults: readonly string[] = [];
    let growthMib = 0;

    beforeAll(async () => {
      await using tested = await ClusterUnderTest.start();
      const before = process.memoryUsage.rss();
      const answers = await runTable(tested.target, table, {
        after: async (step) => void health.set(step.name, await tested.health()),
      });
      results = new Map(answers.map((answer) => [answer.name, answer]));
      faults = tested.faults;
      growthMib = (process.memoryUsage.rss() - before) / 2 ** 20;
    }, 120_000);

    afterAll(() => {
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    });

    for (const expected of recorded) {
      const difference = differences[expected.name];
      const status = difference?.status ?? expected.status;
      it(`returns ${status} for ${expected.name}${difference ? ` (${difference.why})` : ''}`, () => {
        const ours = results.get(expected.name);
        if (difference) expectDifference(ours, expected, difference);
        else expect(ours).toEqual(expected);
        expect(health.get(expected.name)).toBeLessThan(100);
      });
    }

    it('answers every case, and lists no difference for a missing case', () => {
      expect([...results.keys()]).toEqual(recorded.map((answer) => answer.name));
      expect(Object.keys(differences).filter((key) => !results.has(key))).toEqual([]);
    });

    it('reports no input as an internal error', () => {
      expect(faults).toEqual([]);
    });

    it('keeps memory growth bounded', () => {
      expect(growthMib).toBeLessThan(GROWTH_MIB);
    });
  });
}

function expectDifference(ours: Result | undefined, recorded: Result, difference: Difference): void {
  const { status = recorded.status, reason = recorded.reason, says } = difference;
  expect(ours).not.toEqual(recorded);
  expect(ours).toMatchObject({ status, ...(status >= 400 && reason !== undefined && { reason }) });
  if (says !== undefined) expect(JSON.stringify(ours)).toContain(says);
}
