import { isIPv4 } from 'node:net';
import { expect, it } from 'vitest';
import { virtualNodeIP } from './virtual-node.ts';

it('gives each of 10,000 nodes an address', () => {
  const addresses = Array.from({ length: 10_000 }, (_, index) => virtualNodeIP(index));
  expect(addresses.slice(0, 2)).toEqual(['10.0.0.1', '10.0.0.2']);
  expect(new Set(addresses).size).toBe(10_000);
  expect(addresses.every(isIPv4)).toBe(true);
});
