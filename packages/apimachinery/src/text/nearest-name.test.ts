import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

const members = ['requeueAfterMs', 'requeue', 'priority', 'children', 'status'];

describe('nearestName', () => {
  it.each([
    ['requeueAfter', 'requeueAfterMs'],
    ['Requeue', 'requeue'],
    ['child', 'children'],
    ['statsu', 'status'],
    ['prority', 'priority'],
  ])('matches %s to %s', (name, meant) => {
    expect(nearestName(name, members)).toBe(meant);
  });

  it.each(['apiVersion', 'x', ''])('finds no match for %j', (name) => {
    expect(nearestName(name, members)).toBeUndefined();
  });

  it('finds no match in an empty list', () => {
    expect(nearestName('status', [])).toBeUndefined();
  });

  it('returns the first of two equally near names', () => {
    expect(nearestName('max', ['maxi', 'maxa'])).toBe('maxi');
  });
});
