import type { Stored } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { statusOf } from './status.ts';

function pod(status: Pod['status'], deletionTimestamp?: string): Stored<Pod> {
  const metadata = { name: 'db', namespace: 'a', uid: 'u', ...(deletionTimestamp && { deletionTimestamp }) };
  return stored({ ...Pod({ metadata }), ...(status && { status }) });
}
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } as const;

describe('statusOf', () => {
  it.each([
    ['pending', 'Pending', pod(undefined)],
    ['pending', 'Running', pod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] })],
    ['pending', 'being deleted', pod(ready, '2026-01-01T00:00:00Z')],
    ['up', 'Running', pod(ready)],
    ['Failed', 'Failed', pod({ phase: 'Failed' })],
  ])('is %s', (phase, seen, given) => {
    const { status, conditions } = statusOf(given);
    expect(status).toEqual({
      pgPhase: phase,
      active: { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: 'db', uid: 'u' },
    });
    const is = phase === 'up' ? 'True' : 'False';
    expect(conditions).toMatchObject([{ type: 'Ready', status: is, message: `Pod db is ${seen}` }]);
  });

  it('is pending and names no pod while none exists', () => {
    const { status, conditions } = statusOf(undefined);
    expect(status).toEqual({ pgPhase: 'pending' });
    expect(conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'WaitingForPod' }]);
  });
});
