import { VirtualClock } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import type { Postgresql } from '../api/v1/postgresql.ts';
import { statusOf } from './status.ts';

const clock = new VirtualClock();
const pg: Postgresql = {
  apiVersion: 'database.db.example.com/v1',
  kind: 'Postgresql',
  metadata: { name: 'db', namespace: 'a', generation: 3 },
  spec: { password: 'p' },
};
function pod(status: Pod['status'], deletionTimestamp?: string): Pod {
  const metadata = { name: 'db', namespace: 'a', uid: 'u', ...(deletionTimestamp && { deletionTimestamp }) };
  return { apiVersion: 'v1', kind: 'Pod', metadata, ...(status && { status }) };
}
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } as const;

describe('statusOf', () => {
  it.each([
    ['pending', pod(undefined)],
    ['pending', pod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] })],
    ['pending', pod(ready, '2026-01-01T00:00:00Z')],
    ['up', pod(ready)],
    ['Failed', pod({ phase: 'Failed' })],
  ])('is %s', (phase, given) => {
    const status = statusOf(pg, given, clock);
    expect(status.pgPhase).toBe(phase);
    expect(status.conditions?.[0]).toMatchObject({
      type: 'Ready',
      status: phase === 'up' ? 'True' : 'False',
      observedGeneration: 3,
    });
    expect(status.active).toEqual({ apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: 'db', uid: 'u' });
  });

  it('moves the transition time only when the condition changes', async () => {
    const first = statusOf(pg, pod(ready), clock);
    await clock.advance(5_000);
    const second = statusOf({ ...pg, status: first }, pod(ready), clock);
    expect(second.conditions).toEqual(first.conditions);
    const third = statusOf({ ...pg, status: second }, pod({ phase: 'Failed' }), clock);
    expect(third.conditions?.[0]?.lastTransitionTime).not.toBe(first.conditions?.[0]?.lastTransitionTime);
  });
});
