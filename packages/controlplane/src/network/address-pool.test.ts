import { expect, it } from 'vitest';
import { AddressPool, inProcessRange } from './address-pool.ts';

it('gives no address to two pods, even after all have been used once', () => {
  const addresses = new AddressPool(inProcessRange('10.244'));
  const kept = addresses.take();
  const others = Array.from({ length: 65_023 }, () => addresses.take());
  expect(new Set([kept, ...others]).size).toBe(65_024);
  expect(() => addresses.take()).toThrow('all pod addresses of 10.244.0.0/16 are in use');
  const [first = '', second = ''] = others;
  addresses.free(second);
  addresses.free(first);
  expect([addresses.take(), addresses.take()]).toEqual([first, second]);
});
