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
  ])('takes %s for %s', (name, meant) => {
    expect(nearestName(name, members)).toBe(meant);
  });

  it.each(['apiVersion', 'x', ''])('takes %j for none of them', (name) => {
    expect(nearestName(name, members)).toBeUndefined();
  });

  it('finds none among none', () => {
    expect(nearestName('status', [])).toBeUndefined();
  });

  it('takes the first of two that are as near', () => {
    expect(nearestName('max', ['maxi', 'maxa'])).toBe('maxi');
  });
});
