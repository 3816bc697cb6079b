import { expect, it } from 'vitest';
import type { PostgresClusterStatus } from '../../api/v1/postgres-cluster.ts';
import { timelineOfPrimary } from './timeline-of-primary.ts';

const settled = { targetPrimary: 'shop-1', currentPrimary: 'shop-1', timeline: 3 };

it.each<[string, PostgresClusterStatus | undefined, string, number | undefined]>([
  ['a replica of a primary', settled, 'shop-2', 3],
  ['the primary', settled, 'shop-1', undefined],
  ['an election', { ...settled, targetPrimary: '' }, 'shop-2', undefined],
  ['a promotion of another instance', { ...settled, targetPrimary: 'shop-3' }, 'shop-2', undefined],
  ['its own promotion', { ...settled, targetPrimary: 'shop-2' }, 'shop-2', undefined],
  ['a new cluster', undefined, 'shop-1', undefined],
])('%s', (_, status, name, timeline) => {
  expect(timelineOfPrimary(status, name)).toBe(timeline);
});
