import type { Node, NodeCondition, Taint } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { taintsOf } from './node-taints.ts';

const now = '2026-01-02T03:04:05Z';
const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const own: Taint = { key: 'example.com/gpu', effect: 'NoSchedule', value: 'yes' };

function node(taints: readonly Taint[], conditions: readonly NodeCondition[], unschedulable = false): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n' },
    spec: { taints, unschedulable },
    status: { conditions },
  };
}

describe('taintsOf', () => {
  it('removes the not-ready taint from a ready node, and keeps taints with other keys', () => {
    const ready = { type: 'Ready', status: 'True' };
    expect(taintsOf(node([notReady, own], [ready]), now)).toEqual([own]);
    expect(taintsOf(node([own], [ready]), now)).toBeUndefined();
  });

  it('adds a taint for each failing condition and for a cordoned node', () => {
    const conditions = [
      { type: 'Ready', status: 'Unknown' },
      { type: 'DiskPressure', status: 'True' },
      { type: 'MemoryPressure', status: 'False' },
    ];
    const taints = taintsOf(node([notReady], conditions, true), now) ?? [];
    expect(taints.map(({ key }) => key.replace('node.kubernetes.io/', ''))).toEqual([
      'unschedulable',
      'unreachable',
      'disk-pressure',
    ]);
    expect(taints.every(({ effect, timeAdded }) => effect === 'NoSchedule' && timeAdded === now)).toBe(true);
    expect(taintsOf(node(taints, conditions, true), now)).toBeUndefined();
  });

  it('ignores a condition named like an inherited property', () => {
    expect(taintsOf(node([], [{ type: 'constructor', status: 'name' }]), now)).toBeUndefined();
  });

  it('keeps a taint with a different effect', () => {
    const evicting: Taint = { ...notReady, effect: 'NoExecute' };
    expect(taintsOf(node([evicting], [{ type: 'Ready', status: 'True' }]), now)).toBeUndefined();
  });
});
