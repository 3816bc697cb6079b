import { expect, it } from 'vitest';
import { cluster, primary, replica, unreachable } from './testdata/observed.ts';
import { claimsToGrow, claimsToMark } from './volumes.ts';

it.each([
  ['returns no claims if the size has not changed', '1Gi', []],
  ['compares sizes as quantities', '1024Mi', []],
  ['returns the smaller claims, even of an instance that cannot be reached', '2Gi', ['shop-1', 'shop-2']],
  ['does not shrink claims', '500Mi', []],
])('claimsToGrow %s', (_, storageSize, names) => {
  const members = [unreachable('shop-1'), replica('shop-2'), primary('shop-3', { claim: { size: '3Gi' } })];
  expect(claimsToGrow(cluster({ storageSize, members }))).toEqual(names);
});

it.each([
  ['returns no claims that have the ID', 'a', 'a', []],
  ['returns a claim without an ID, such as one from an earlier release', undefined, 'a', ['shop-2']],
  ['returns an adopted claim with the ID of another cluster', 'b', 'a', ['shop-2']],
])('claimsToMark %s', (_, found, archiveOwner, names) => {
  const members = [primary('shop-1'), replica('shop-2', { claim: { archiveOwner: found } })];
  expect(claimsToMark(cluster({ archiveOwner, members }))).toEqual(names);
});
