import type { Stored } from '@kubewright/apimachinery';
import { Node } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { Zones } from './zones.ts';

const node = (name: string, zone = 'z'): Stored<Node> =>
  stored(Node({ metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } } }));

/** Builds a zone of `size` nodes, the first `ready` of which are ready. */
function zoneOf(size: number, ready: number): Zones {
  const zones = new Zones();
  for (let index = 0; index < size; index++) zones.note(node(String(index)), index < ready);
  return zones;
}

describe('Zones', () => {
  it('allows the eviction of one node every ten seconds', () => {
    const zones = zoneOf(4, 2);
    expect(zones.take(node('2'), 0)).toBe(0);
    expect(zones.take(node('3'), 4_000)).toBe(6_000);
    expect(zones.take(node('3'), 10_000)).toBe(0);
  });

  it('stops evictions in a small zone with many unready nodes, and slows them down in a large zone', () => {
    expect(zoneOf(5, 2).take(node('4'), 0)).toBeUndefined();
    expect(zoneOf(4, 2).take(node('3'), 0)).toBe(0);
    const large = zoneOf(100, 40);
    expect(large.take(node('98'), 0)).toBe(0);
    expect(large.take(node('99'), 0)).toBe(100_000);
  });

  it('allows evictions in a zone without ready nodes only if another zone has a ready node', () => {
    const zones = zoneOf(3, 0);
    expect(zones.isDisrupted).toBe(true);
    expect(zones.take(node('0'), 0)).toBeUndefined();
    expect(zones.note(node('elsewhere', 'other'), true)).toBe('recovered');
    expect(zones.take(node('0'), 0)).toBe(0);
    zones.forget('elsewhere');
    expect(zones.isDisrupted).toBe(true);
  });

  it('reports whether deleting or moving a node changes the rate for the other nodes', () => {
    // Three of four nodes are not ready, so no eviction is allowed until one of the three is deleted.
    const zones = zoneOf(4, 1);
    expect(zones.take(node('3'), 0)).toBeUndefined();
    expect(zones.forget('1')).toBe('changed');
    expect(zones.take(node('3'), 0)).toBe(0);
    const moved = zoneOf(4, 1);
    expect(moved.note(node('1', 'other'), false)).toBe('changed');
    expect(moved.take(node('3'), 0)).toBe(0);
    const last = zoneOf(2, 1);
    expect(last.forget('0')).toBe('changed');
    expect(last.isDisrupted).toBe(true);
    expect(zoneOf(4, 4).forget('0')).toBe('none');
    const ready = zoneOf(1, 1);
    expect(ready.note(node('0', 'other'), true)).toBe('none');
  });

  it('ignores nodes with the exclude-disruption label', () => {
    const zones = zoneOf(1, 0);
    const labels = { 'node.kubernetes.io/exclude-disruption': '' };
    const excluded = stored(Node({ metadata: { name: 'x', labels } }));
    expect(zones.note(excluded, true)).toBe('none');
    expect(zones.isDisrupted).toBe(true);
  });
});
