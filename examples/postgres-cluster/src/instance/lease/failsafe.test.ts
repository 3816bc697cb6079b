import { describe, expect, it } from 'vitest';
import { knowsAll } from './failsafe.ts';

describe('knowsAll', () => {
  it.each([
    ['all instances', ['shop-2', 'shop-3'], ['shop-2', 'shop-3'], ['shop_2', 'shop_3'], 3, true],
    ['an instance that does not stream now', ['shop-2', 'shop-3'], ['shop-2'], ['shop_2', 'shop_3'], 3, true],
    ['fewer instances than the cluster wants', ['shop-2'], ['shop-2'], ['shop_2'], 3, false],
    ['an unknown instance that streams', ['shop-2', 'shop-3'], ['shop-2', 'shop-4'], ['shop_2'], 3, false],
    ['an unknown instance that has a slot', ['shop-2', 'shop-3'], ['shop-2'], ['shop_2', 'shop_4'], 3, false],
    ['a single instance', [], [], [], 1, true],
  ])('%s', (_, others, streaming, slots, instances, knows) => {
    const names = slots.map((name) => `kubewright_${name}`);
    expect(knowsAll({ others, streaming, slots: names, instances })).toBe(knows);
  });
});
