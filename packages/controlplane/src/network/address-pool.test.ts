import { isIPv4 } from 'node:net';
import { expect, it } from 'vitest';
import { AddressPool, inProcessRange, isolatedRange } from './address-pool.ts';

it('never gives two pods the same address, even after all have been used once', () => {
  const addresses = new AddressPool(isolatedRange('10.244.1.'));
  const kept = addresses.take();
  const others = Array.from({ length: 252 }, () => addresses.take());
  expect(new Set([kept, ...others]).size).toBe(253);
  expect(() => addresses.take()).toThrow('all pod addresses 10.244.1.2 to 10.244.1.254 are in use');
  const [first = '', second = ''] = others;
  addresses.free(second);
  addresses.free(first);
  expect([addresses.take(), addresses.take()]).toEqual([first, second]);
});

it('numbers the addresses of pods in this process from 10.128.0.1 to 10.255.255.254', () => {
  const { at, count } = inProcessRange;
  expect([0, 253, 254, 256 * 254 - 1, 256 * 254, count - 1].map(at)).toEqual([
    '10.128.0.1',
    '10.128.0.254',
    '10.128.1.1',
    '10.128.255.254',
    '10.129.0.1',
    '10.255.255.254',
  ]);
  const some = Array.from({ length: 100_000 }, (_, i) => at(i * 83));
  expect(new Set(some).size).toBe(100_000);
  expect(some.every(isIPv4)).toBe(true);
});
