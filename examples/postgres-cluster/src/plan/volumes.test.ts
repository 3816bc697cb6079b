import { expect, it } from 'vitest';
import { cluster, primary, replica, silent } from './testdata/observed.ts';
import { claimsToGrow } from './volumes.ts';

it.each([
  ['nothing has changed', '1Gi', []],
  ['sizes are compared as quantities', '1024Mi', []],
  ['the size was raised, and an instance with a full disk is silent', '2Gi', ['shop-1', 'shop-2']],
  ['a claim cannot shrink', '500Mi', []],
])('claimsToGrow: %s', (_, storageSize, names) => {
  const members = [silent('shop-1'), replica('shop-2'), primary('shop-3', { claim: { size: '3Gi' } })];
  expect(claimsToGrow(cluster({ storageSize, members }))).toEqual(names);
});
