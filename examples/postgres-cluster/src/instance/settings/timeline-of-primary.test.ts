import { expect, it } from 'vitest';
import type { PostgresClusterStatus } from '../../api/v1/postgres-cluster.ts';
import { timelineOfPrimary } from './timeline-of-primary.ts';

const settled = { targetPrimary: 'shop-1', currentPrimary: 'shop-1', timeline: 3 };

it.each<[string, PostgresClusterStatus | undefined, string, number | undefined]>([
  ['returns the timeline for a replica of a settled primary', settled, 'shop-2', 3],
  ['is undefined for the primary', settled, 'shop-1', undefined],
  ['is undefined during an election', { ...settled, targetPrimary: '' }, 'shop-2', undefined],
  ['is undefined while another instance is promoted', { ...settled, targetPrimary: 'shop-3' }, 'shop-2', undefined],
  ['is undefined while the instance itself is promoted', { ...settled, targetPrimary: 'shop-2' }, 'shop-2', undefined],
  ['is undefined in a new cluster', undefined, 'shop-1', undefined],
])('timelineOfPrimary %s', (_, status, name, timeline) => {
  expect(timelineOfPrimary(status, name)).toBe(timeline);
});
