import { Buffer } from 'node:buffer';
import { systemClock, VirtualClock } from '@kubewright/apimachinery';
import type { StoredObject } from '@kubewright/apiserver/internal';
import { expect, it } from 'vitest';
import { existingPodWarnings } from './existing-pods.ts';

const options = {
  namespace: 'n',
  enforce: { level: 'restricted', minor: Number.POSITIVE_INFINITY },
  exemptRuntimeClasses: ['isolated'],
} as const;

function pods(count: number, runtimeClassName = ''): StoredObject[] {
  return Array.from({ length: count }, (_, index) => {
    const spec = { containers: [{ name: 'a', image: 'i' }], runtimeClassName };
    const bytes = Buffer.from(JSON.stringify({ metadata: { name: `p${index}` }, spec }));
    return { key: `p${index}`, revision: 1, bytes };
  });
}

/** A clock that advances a few milliseconds on every reading. */
class SlowClock extends VirtualClock {
  #now = 0;

  override monotonic(): number {
    this.#now += 4;
    return this.#now;
  }
}

it('stops after a second, and adds a warning about it', async () => {
  const clock = new SlowClock(0);
  const [partly] = await existingPodWarnings(pods(2000), { ...options, clock });
  expect(partly).toMatch(/^new PodSecurity enforce level only checked against the first 1 of 2000 existing pods$/);
});

it('skips exempt pods', async () => {
  const all = [...pods(3, 'isolated'), ...pods(2)];
  const warnings = await existingPodWarnings(all, { ...options, clock: systemClock });
  expect(warnings).toHaveLength(2);
  expect(warnings[1]).toMatch(/^p0 \(and 1 other pod\): /);
});

it('yields to other work between pods', async () => {
  const clock = systemClock;
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  await existingPodWarnings(pods(1000), { ...options, clock });
  done = true;
  expect(turns).toBeGreaterThan(1);
});
