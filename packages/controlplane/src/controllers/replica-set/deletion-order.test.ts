import type { Stored } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { podsToDelete } from './deletion-order.ts';

const nowMs = Date.parse('2026-01-02T00:00:00Z');

interface Shape {
  readonly node?: string;
  readonly phase?: 'Pending' | 'Running' | 'Unknown';
  readonly readySince?: string;
  readonly restarts?: number;
  readonly created?: string;
  readonly cost?: string;
}

function pod(name: string, shape: Shape = {}): Stored<Pod> {
  const {
    node = 'n',
    phase = 'Running',
    readySince,
    restarts = 0,
    created: creationTimestamp = '2026-01-01T00:00:00Z',
    cost,
  } = shape;
  const created = Pod({
    metadata: {
      name,
      uid: name,
      creationTimestamp,
      ...(cost !== undefined && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
    },
    spec: { containers: [], ...(node && { nodeName: node }) },
  });
  const status = {
    phase,
    ...(readySince && { conditions: [{ type: 'Ready', status: 'True' as const, lastTransitionTime: readySince }] }),
    containerStatuses: [{ name: 'c', image: 'i', imageID: 'i', ready: true, restartCount: restarts }],
  };
  return stored({ ...created, status });
}

const ready = '2026-01-01T00:00:00Z';
const order = (
  pods: readonly Stored<Pod>[],
  siblings: readonly Stored<Pod>[] = pods,
): readonly (string | undefined)[] => {
  const left = [...pods];
  const names: (string | undefined)[] = [];
  while (left.length > 1) {
    const [next] = podsToDelete(left, { count: 1, siblings, nowMs });
    names.push(next?.metadata.name);
    left.splice(left.indexOf(next as Stored<Pod>), 1);
  }
  return [...names, left[0]?.metadata.name];
};

describe('podsToDelete', () => {
  it('deletes unassigned pods first, then pending, unknown, unready and ready pods', () => {
    const pods = [
      pod('ready', { readySince: ready }),
      pod('running'),
      pod('unknown', { phase: 'Unknown' }),
      pod('pending', { phase: 'Pending' }),
      pod('unassigned', { node: '', phase: 'Pending' }),
    ];
    expect(order(pods)).toEqual(['unassigned', 'pending', 'unknown', 'running', 'ready']);
  });

  it('deletes pods by ascending deletion cost, and treats malformed costs as 0', () => {
    const costs = { dear: '10', free: '0', malformed: '+5', cheap: '-3' };
    const pods = Object.entries(costs).map(([name, cost]) => pod(name, { readySince: ready, cost }));
    const names = order(pods);
    expect(names[0]).toBe('cheap');
    expect(names.at(-1)).toBe('dear');
  });

  it('deletes pods on the node with the most siblings first', () => {
    const pods = [pod('alone', { node: 'a', readySince: ready }), pod('crowded', { node: 'b', readySince: ready })];
    const others = [pod('x', { node: 'b' }), pod('y', { node: 'b' })];
    expect(order(pods, [...pods, ...others])).toEqual(['crowded', 'alone']);
  });

  it('prefers pods that were ready for much less time, then pods with more restarts, then much younger pods', () => {
    const recent = '2026-01-01T23:59:00Z';
    expect(order([pod('long', { readySince: ready }), pod('short', { readySince: recent })])).toEqual([
      'short',
      'long',
    ]);
    expect(order([pod('calm'), pod('restless', { restarts: 3 })])).toEqual(['restless', 'calm']);
    expect(order([pod('old'), pod('young', { created: recent })])).toEqual(['young', 'old']);
  });

  it('orders pods of similar age by uid', () => {
    const pods = [pod('b', { created: '2026-01-01T00:00:10Z' }), pod('a', { created: '2026-01-01T00:00:00Z' })];
    expect(order(pods)).toEqual(['a', 'b']);
  });
});
