import { isIPv4 } from 'node:net';
import { describe, expect, it } from 'vitest';
import { balancerAddress, podAddress } from './addresses.ts';

describe('podAddress', () => {
  it.each([
    [0, '10.244.0.1'],
    [253, '10.244.0.254'],
    [254, '10.244.1.1'],
    [65_023, '10.244.255.254'],
    [65_024, '10.244.0.1'],
  ])('gives pod %i the address %s', (index, address) => {
    expect(podAddress(index)).toBe(address);
    expect(isIPv4(address)).toBe(true);
  });
});

describe('balancerAddress', () => {
  it.each([
    [0, '203.0.113.1'],
    [253, '203.0.113.254'],
    [254, '203.0.113.1'],
  ])('gives load balancer %i the address %s', (index, address) => expect(balancerAddress(index)).toBe(address));
});
