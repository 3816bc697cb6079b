import fc from 'fast-check';
import { Counter, Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { PlainMetric } from './plain-metric.ts';

const step = fc.record({
  what: fc.constantFrom('inc', 'set', 'dec', 'reset'),
  labels: fc.record({ code: fc.constantFrom('200', '"\\\n', ''), host: fc.constantFrom('a', 'b') }),
  value: fc.nat(5),
});

describe('PlainMetric', () => {
  it("renders the same text as the library's metric", async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.boolean(), fc.array(step), async (isGauge, isLabeled, steps) => {
        const [registry, own] = [new Registry(), new Registry()];
        const what = { name: 'requests', help: 'How many there were' };
        const labelNames = isLabeled ? ['code', 'host'] : [];
        const counter = isGauge ? undefined : new Counter({ ...what, labelNames, registers: [registry] });
        const gauge = isGauge ? new Gauge({ ...what, labelNames, registers: [registry] }) : undefined;
        const ours = new PlainMetric({ ...what, type: isGauge ? 'gauge' : 'counter', isLabeled });
        ours.registerIn(own);
        for (const { what: does, value, labels: given } of steps) {
          const labels: Record<string, string> = isLabeled ? given : {};
          if (does === 'inc') {
            (counter ?? gauge)?.inc(labels, value);
            ours.inc(labels, value);
          }
          if (does === 'reset') for (const each of [counter, gauge, ours]) each?.reset();
          if (does === 'set' && gauge) {
            gauge.set(labels, value);
            ours.set(labels, value);
          }
          if (does === 'dec' && gauge) {
            gauge.dec(labels);
            ours.dec(labels);
          }
        }
        expect(await own.metrics()).toBe(await registry.metrics());
      }),
    );
  });
});
