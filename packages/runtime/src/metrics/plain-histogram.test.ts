import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { PlainHistogram } from './plain-histogram.ts';

const what = { name: 'seconds', help: 'How long it took', buckets: [0.005, 0.01, 0.5, 1, 60] };
const value = fc.oneof(fc.constantFrom(...what.buckets), fc.double({ min: 0, max: 100, noNaN: true }));
const observation = fc.record({ controller: fc.constantFrom('a', 'b', 'c'), value });

describe('PlainHistogram', () => {
  it("renders the same text as the library's histogram", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(observation, { minLength: 1 }), async (observations) => {
        const [registry, own] = [new Registry(), new Registry()];
        const theirs = new Histogram({ ...what, labelNames: ['controller'], registers: [registry] });
        const ours = new PlainHistogram(what).registerIn(own);
        const seen = [...new Set(observations.map(({ controller }) => controller))];
        const series = new Map(seen.map((controller) => [controller, ours.series({ controller })]));
        for (const each of observations) {
          theirs.observe({ controller: each.controller }, each.value);
          series.get(each.controller)?.(each.value);
        }
        expect(await own.metrics()).toBe(await registry.metrics());
      }),
    );
  });

  it('continues a series when its labels are used again', async () => {
    const registry = new Registry();
    const histogram = new PlainHistogram(what).registerIn(registry);
    histogram.series({ controller: 'a' })(1);
    histogram.series({ controller: 'a' })(1);
    expect(await registry.metrics()).toContain('seconds_count{controller="a"} 2\n');
  });

  it('shows no series before its first observation', async () => {
    const registry = new Registry();
    new PlainHistogram(what).registerIn(registry).series({ controller: 'a' });
    expect(await registry.metrics()).toBe('# HELP seconds How long it took\n# TYPE seconds histogram\n');
  });
});
