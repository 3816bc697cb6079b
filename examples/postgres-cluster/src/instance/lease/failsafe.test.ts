import { describe, expect, it } from 'vitest';
import { knowsAllInstances } from './failsafe.ts';

describe('knowsAllInstances', () => {
  it.each([
    [
      'is true if all replicas and slots belong to known instances',
      ['shop-2', 'shop-3'],
      ['shop-2', 'shop-3'],
      ['shop_2', 'shop_3'],
      3,
      true,
    ],
    ['is true if a known instance does not stream', ['shop-2', 'shop-3'], ['shop-2'], ['shop_2', 'shop_3'], 3, true],
    ['is false if fewer instances are known than the cluster wants', ['shop-2'], ['shop-2'], ['shop_2'], 3, false],
    ['is false if an unknown instance streams', ['shop-2', 'shop-3'], ['shop-2', 'shop-4'], ['shop_2'], 3, false],
    ['is false if an unknown instance has a slot', ['shop-2', 'shop-3'], ['shop-2'], ['shop_2', 'shop_4'], 3, false],
    ['is true for a single instance', [], [], [], 1, true],
  ])('%s', (_, others, streaming, slots, instances, knows) => {
    const names = slots.map((name) => `kubewright_${name}`);
    expect(knowsAllInstances({ others, streaming, slots: names, instances })).toBe(knows);
  });
});
