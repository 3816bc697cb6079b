import { describe, expect, it } from 'vitest';
import { furtherSample, furtherVersion } from './further-version.ts';

const text = `import type { ObjectOf } from '@kubewright/apimachinery';
import { defineKind } from '@kubewright/runtime';
import type { Size } from './size.ts';
import { common } from '../common.ts';

/** A Shop is kept. */
export interface ShopSpec {
  readonly Shop: 'Shop';
  readonly size: Size;
  readonly items: readonly ShopItem[];
}
interface ShopItem { readonly name: string }

export const Shop = defineKind<ShopSpec>({
  group: 'example.com',
  version: 'v1',
  kind: 'Shop',
  columns: common,
});
export type Shop = ObjectOf<typeof Shop>;
`;
const made = (source: string, file = 'api/v1/shop.ts'): string | undefined =>
  furtherVersion({
    source: { text: source, file },
    variable: 'Shop',
    version: 'v2beta1',
    target: 'api/v2beta1/shop.ts',
  });

describe('furtherVersion', () => {
  it('copies the types under new names into a version that is not stored', () => {
    const further = made(text);
    expect(further).toContain("  version: 'v2beta1',\n  kind: 'Shop',\n  storage: false,\n  columns: common,\n");
    expect(further).toContain('export const ShopV2beta1 = defineKind<ShopV2beta1Spec>({');
    expect(further).toContain('export type ShopV2beta1 = ObjectOf<typeof ShopV2beta1>;');
    expect(further).toContain('readonly items: readonly ShopV2beta1Item[];');
    expect(further).toContain('/** A Shop is kept. */');
  });

  it('adjusts the import paths of the copied file', () => {
    expect(made(text)).toContain("from '../v1/size.ts'");
    expect(made(text)).toContain("from '../common.ts'");
    expect(made(text, 'shop.ts')).toContain("from '../../size.ts'");
  });

  it.each([
    text.replace("kind: 'Shop',", "kind: 'Shop',\n  storage: true,"),
    text.replace("  version: 'v1',\n  kind: 'Shop',\n", "  version: 'v1', kind: 'Shop',\n"),
  ])('sets storage: false only once', (source) => {
    expect(made(source)?.match(/storage: \w+/g)).toEqual(['storage: false']);
  });

  it('returns undefined for a file with two kinds', () => {
    expect(made(`${text}export const Other = defineKind<ShopSpec>({});`)).toBeUndefined();
  });
});

describe('furtherSample', () => {
  it('is a separate object of the new version', () => {
    const sample = `# yaml-language-server: $schema=../../schemas/example.com/shop_v1.json
apiVersion: example.com/v1
kind: Shop
metadata:
  labels:
    a: b
  name: shop-sample
spec:
  name: mine
`;
    expect(
      furtherSample(sample, { from: 'v1', to: 'v2' }),
    ).toBe(`# yaml-language-server: $schema=../../schemas/example.com/shop_v2.json
apiVersion: example.com/v2
kind: Shop
metadata:
  labels:
    a: b
  name: shop-sample-v2
spec:
  name: mine
`);
  });
});
