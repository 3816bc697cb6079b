import { StatusError } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { type DisruptionBudget, decideEviction, needsNoBudget, needsRevision } from './eviction-decision.ts';
import type { ReachedPod } from './pod-container.ts';

const now = '2026-01-01T00:00:00Z';

function pod(phase: string, options: { readonly ready?: boolean; readonly deleting?: boolean } = {}): ReachedPod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'a', ...(options.deleting && { deletionTimestamp: now }) },
    status: { phase, ...(options.ready && { conditions: [{ type: 'Ready', status: 'True' }] }) } as { phase: string },
  };
}

function budget(status: DisruptionBudget['status'], spec: DisruptionBudget['spec'] = {}): DisruptionBudget {
  const metadata = { name: 'b', namespace: 'a', generation: 2 };
  const full = { observedGeneration: 2, ...status };
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec, status: full };
}

describe('needsNoBudget', () => {
  it.each([
    [pod('Succeeded'), true, false],
    [pod('Failed'), true, false],
    [pod('Pending'), true, true],
    [pod('Pending', { deleting: true }), true, false],
    [pod('Running', { deleting: true }), true, false],
    [pod('Running'), false, true],
    [pod('Unknown'), false, true],
  ])('%o', (of, free, revision) => {
    expect([needsNoBudget(of), needsRevision(of)]).toEqual([free, revision]);
  });
});

describe('decideEviction', () => {
  const healthy = { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1 };
  const unhealthy = { currentHealthy: 0, desiredHealthy: 1, disruptionsAllowed: 0 };
  const always = { unhealthyPodEvictionPolicy: 'AlwaysAllow' };
  const ifHealthy = { unhealthyPodEvictionPolicy: 'IfHealthyBudget' };
  const ready = { ready: true };

  /** Formats a decision as one line. */
  function decide(of: ReachedPod, under: DisruptionBudget): string {
    const decision = decideEviction({ pod: of, budget: under, now });
    if (decision.type !== 'rejected') return decision.type;
    expect(decision.error).toBeInstanceOf(StatusError);
    const { code, details, message } = decision.error.status;
    return `${code} ${details?.retryAfterSeconds ?? ''} ${details?.causes?.[0]?.message ?? message}`;
  }

  const needs = (text: string): string => `429  The disruption budget b ${text}`;
  const denied = 'does not allow evicting pods currently';
  const condition = (reason: string, message: string) => [
    { type: 'DisruptionAllowed', status: 'False', reason, message },
  ];

  it.each<[string, ReachedPod, DisruptionBudget, string]>([
    ['a ready pod uses up the budget', pod('Running', ready), budget(healthy), 'spend'],
    ['a ready pod uses up the budget under AlwaysAllow, too', pod('Running', ready), budget(healthy, always), 'spend'],
    ['an unready pod of a healthy budget does not use it up', pod('Running'), budget(healthy), 'unhealthy'],
    [
      'an unready pod of a healthy budget, under IfHealthyBudget',
      pod('Running'),
      budget(healthy, ifHealthy),
      'unhealthy',
    ],
    [
      'an unready pod of a healthy budget that allows no disruptions',
      pod('Running'),
      budget({ ...healthy, currentHealthy: 1, disruptionsAllowed: 0 }),
      'unhealthy',
    ],
    [
      'an unready pod under AlwaysAllow, with an outdated budget',
      pod('Running'),
      budget({ ...healthy, observedGeneration: 1 }, always),
      'unhealthy',
    ],
    [
      'an unready pod of an unhealthy budget is not evicted',
      pod('Running'),
      budget(unhealthy),
      needs('needs 1 healthy pods and has 0 currently'),
    ],
    [
      'an unready pod of an unhealthy budget, under IfHealthyBudget',
      pod('Running'),
      budget(unhealthy, ifHealthy),
      needs('needs 1 healthy pods and has 0 currently'),
    ],
    [
      'an unready pod of an unhealthy budget, under AlwaysAllow',
      pod('Running'),
      budget(unhealthy, always),
      'unhealthy',
    ],
    [
      'an unready pod uses up a budget that desires no healthy pods',
      pod('Running'),
      budget({ currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 1 }),
      'spend',
    ],
    [
      'a budget that is not up to date',
      pod('Running', ready),
      budget({ ...healthy, observedGeneration: 1 }),
      '429 10 The disruption budget b is still being processed by the server.',
    ],
    [
      'a negative allowance',
      pod('Running', ready),
      budget({ ...healthy, disruptionsAllowed: -1 }),
      '403  poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative',
    ],
    [
      'too many unconfirmed evictions',
      pod('Running', ready),
      budget({
        ...healthy,
        disruptedPods: Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`p${i}`, now])),
      }),
      '403  poddisruptionbudget.policy "b" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    ],
    [
      'a failed sync',
      pod('Running', ready),
      budget({ ...unhealthy, conditions: condition('SyncFailed', 'no scale') }),
      needs(`${denied} because it failed sync: no scale`),
    ],
    [
      'another reason with a message',
      pod('Running', ready),
      budget({ currentHealthy: 3, desiredHealthy: 1, disruptionsAllowed: 0, conditions: condition('Paused', 'later') }),
      needs(`${denied} (Paused): later`),
    ],
    [
      'no reason',
      pod('Running', ready),
      budget({ currentHealthy: 3, desiredHealthy: 1, disruptionsAllowed: 0 }),
      needs(denied),
    ],
  ])('%s', (_, of, under, expected) => {
    expect(decide(of, under)).toBe(expected);
  });

  it('records the pod, and that no more disruptions are allowed', () => {
    const old = { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', lastTransitionTime: 'before' };
    const under = budget({ ...healthy, disruptedPods: { q: 'then' }, conditions: [old] });
    expect(decideEviction({ pod: pod('Running', ready), budget: under, now })).toEqual({
      type: 'spend',
      status: {
        ...under.status,
        disruptionsAllowed: 0,
        disruptedPods: { q: 'then', p: now },
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            reason: 'InsufficientPods',
            message: '',
            observedGeneration: 2,
            lastTransitionTime: now,
          },
        ],
      },
    });
  });
});
