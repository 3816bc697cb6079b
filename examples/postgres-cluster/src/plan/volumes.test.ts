import { expect, it } from 'vitest';
import { cluster, primary, replica, unreachable } from './testdata/observed.ts';
import { claimsToGrow } from './volumes.ts';

it.each([
  ['returns no claims if the size has not changed', '1Gi', []],
  ['compares sizes as quantities', '1024Mi', []],
  ['returns the smaller claims, even of an instance that cannot be reached', '2Gi', ['shop-1', 'shop-2']],
  ['does not shrink claims', '500Mi', []],
])('claimsToGrow %s', (_, storageSize, names) => {
  const members = [unreachable('shop-1'), replica('shop-2'), primary('shop-3', { claim: { size: '3Gi' } })];
  expect(claimsToGrow(cluster({ storageSize, members }))).toEqual(names);
});
