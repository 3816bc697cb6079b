import type { CodeExample } from './code-example.ts';

/**
 * Mistakes in types and kinds that `generate` reports. An example without `defineKind` contains only the spec, for
 * `defineKind<ShopSpec>({ group: 'example.com', version: 'v1', kind: 'Shop' })`.
 */
export const typeExamples: readonly CodeExample[] = [
  {
    code: 'KW6002',
    mistake: `interface ShopSpec { readonly owner?: string }
const group = process.env['GROUP'] ?? 'example.com';
export const Shop = defineKind<ShopSpec>({ group, version: 'v1', kind: 'Shop' });`,
    cause: 'Manifests are generated without running the program, so all values in defineKind must be literals.',
    fix: `interface ShopSpec { readonly owner?: string }
const group = 'example.com';
export const Shop = defineKind<ShopSpec>({ group, version: 'v1', kind: 'Shop' });`,
  },
  {
    code: 'KW6003',
    mistake: `export const Shop = defineKind({ group: 'example.com', version: 'v1', kind: 'Shop' });`,
    cause: 'The schema is generated from the type arguments of defineKind. Names must also be valid in Kubernetes.',
    fix: `interface ShopSpec { readonly owner?: string }
export const Shop = defineKind<ShopSpec>({ group: 'example.com', version: 'v1', kind: 'Shop' });`,
  },
  {
    code: 'KW6004',
    mistake: `interface ShopSpec { readonly owner?: string }
export const Shop = defineKind<ShopSpec>({ group: 'example.com', version: 'v1', kind: 'Shop' });
export const ShopV2 = defineKind<ShopSpec>({ group: 'example.com', version: 'v2', kind: 'Shop' });`,
    cause: 'Exactly one version of a kind is stored; plural, singular and scope are the same in all versions.',
    fix: `interface ShopSpec { readonly owner?: string }
export const Shop = defineKind<ShopSpec>({ group: 'example.com', version: 'v1', kind: 'Shop' });
export const ShopV2 = defineKind<ShopSpec>({ group: 'example.com', version: 'v2', kind: 'Shop', storage: false });`,
  },
  {
    code: 'KW6101',
    mistake: `interface ShopSpec {
  readonly size?: number;
}`,
    cause: 'Kubernetes distinguishes integers from floating-point numbers, but number is both.',
    fix: `interface ShopSpec {
  /** Number of seats. @int32 */
  readonly size?: number;
}`,
  },
  {
    code: 'KW6102',
    mistake: `interface ShopSpec {
  readonly opened?: Date;
}`,
    cause:
      'The type has no JSON schema: JSON cannot represent dates, maps, sets, functions or unions of different types.',
    fix: `interface ShopSpec {
  /** When the shop opened. @dateTime */
  readonly opened?: string;
}`,
  },
  {
    code: 'KW6103',
    mistake: `interface ShopSpec { readonly root?: Shelf }
interface Shelf { readonly shelves?: readonly Shelf[] }`,
    cause: 'A CRD has no references between schemas, so a type cannot contain itself at any depth.',
    fix: `interface ShopSpec { readonly shelves?: readonly Shelf[] }
interface Shelf {
  readonly name: string;
  /** Name of the shelf above. */
  readonly parent?: string;
}`,
  },
  {
    code: 'KW6104',
    mistake: `interface ShopSpec {
  readonly size?: Sise;
}
type Size = 'small' | 'large';`,
    cause:
      'The compiler cannot find the type: its name is misspelled, an import is missing, or a package is not installed.',
    fix: `interface ShopSpec {
  readonly size?: Size;
}
type Size = 'small' | 'large';`,
  },
  {
    code: 'KW6201',
    mistake: `interface ShopSpec {
  /** Owner of the shop. @minLenght 3 */
  readonly owner?: string;
}`,
    cause:
      'The tag does not exist. The message suggests the closest tag; kubebuilder markers have different names in Kubewright.',
    fix: `interface ShopSpec {
  /** Owner of the shop. @minLength 3 */
  readonly owner?: string;
}`,
  },
  {
    code: 'KW6202',
    mistake: `interface ShopSpec {
  /** Whether the shop is open. @minLength 3 */
  readonly open?: boolean;
}`,
    cause: 'The tag has no effect on this type: lengths apply to strings, limits to numbers, counts to lists and maps.',
    fix: `interface ShopSpec {
  /** Hours of the day. @minLength 3 */
  readonly open?: string;
}`,
  },
  {
    code: 'KW6203',
    mistake: `interface ShopSpec {
  /** Owner of the shop. @maxLength many */
  readonly owner?: string;
}`,
    cause: 'The argument of the tag is missing or malformed.',
    fix: `interface ShopSpec {
  /** Owner of the shop. @maxLength 63 */
  readonly owner?: string;
}`,
  },
  {
    code: 'KW6204',
    mistake: `interface ShopSpec {
  // @maxLength 63
  readonly owner?: string;
}`,
    cause: 'Tags are read only from documentation comments, which start with /** and precede a field.',
    fix: `interface ShopSpec {
  /** @maxLength 63 */
  readonly owner?: string;
}`,
  },
  {
    code: 'KW6205',
    mistake: `interface ShopSpec { readonly owner?: string }
export const Shop = defineKind<ShopSpec>({
  group: 'example.com',
  version: 'v1',
  kind: 'Shop',
  columns: [{ name: 'Owner', jsonPath: '.spec.onwer' }],
});`,
    cause: 'The kind has no field at this path; kubectl would show an empty column.',
    fix: `interface ShopSpec { readonly owner?: string }
export const Shop = defineKind<ShopSpec>({
  group: 'example.com',
  version: 'v1',
  kind: 'Shop',
  columns: [{ name: 'Owner', jsonPath: '.spec.owner' }],
});`,
  },
  {
    code: 'KW6301',
    mistake: `interface ShopSpec {
  /** Number of seats. @int32 @maximum 5 @default 6 */
  readonly size?: number;
}`,
    cause:
      'The type is valid TypeScript, but the API server would reject the CRD; here, the default exceeds the maximum.',
    fix: `interface ShopSpec {
  /** Number of seats. @int32 @maximum 5 @default 3 */
  readonly size?: number;
}`,
  },
  {
    code: 'KW6302',
    mistake: `interface ShopSpec {
  /** @int32 */
  readonly min: number;
  /** @int32 @rule self.min <= self.max */
  readonly max: number;
}`,
    cause: 'In a CEL rule, self is the value that has the tag. Here, self is a number, which has no fields.',
    fix: `/** @rule self.min <= self.max */
interface ShopSpec {
  /** @int32 */
  readonly min: number;
  /** @int32 */
  readonly max: number;
}`,
  },
  {
    code: 'KW6304',
    mistake: `interface ShopSpec {
  /** @rule self.all(a, self.exists_one(b, a == b)) */
  readonly owners?: readonly string[];
}`,
    cause:
      'The API server estimates the cost of a rule for the largest valid value. Here, the list and its strings have no limits.',
    fix: `interface ShopSpec {
  /** @maxItems 10 @items.maxLength 63 @rule self.all(a, self.exists_one(b, a == b)) */
  readonly owners?: readonly string[];
}`,
  },
  {
    code: 'KW6305',
    mistake: `interface ShopSpec { readonly owner?: string }
export const Shop = defineKind<ShopSpec>({
  group: 'example.com',
  version: 'v1',
  kind: 'Shop',
  shortNames: ['po'],
});`,
    cause: 'Another kind already has this short name, so kubectl get po would show Pods.',
    fix: `interface ShopSpec { readonly owner?: string }
export const Shop = defineKind<ShopSpec>({
  group: 'example.com',
  version: 'v1',
  kind: 'Shop',
  shortNames: ['shp'],
});`,
  },
  {
    code: 'KW6401',
    mistake: `import type { RequestContext } from '@kubewright/runtime';
export const work = (ctx: RequestContext, object: KubernetesObject) => ctx.apply(object);`,
    cause: 'The role is derived from typed calls, but the type of the object does not specify its kind.',
    fix: `import type { RequestContext } from '@kubewright/runtime';
import type { ConfigMap } from '@kubewright/apimachinery/core/v1';
export const work = (ctx: RequestContext, object: ConfigMap) => ctx.apply(object);`,
  },
  {
    code: 'KW6501',
    mistake: `interface ShopSpec { readonly owner?: string }
const Shop = defineKind<ShopSpec>({ group: 'example.com', version: 'v1', kind: 'Shop' });
export const webhooks = [validator(Shop, { create() {} }), validator(Shop, { update() {} })];`,
    cause:
      'The name of a webhook is derived from its kind and version, so two validators of one kind have the same name.',
    fix: `interface ShopSpec { readonly owner?: string }
const Shop = defineKind<ShopSpec>({ group: 'example.com', version: 'v1', kind: 'Shop' });
export const webhooks = [validator(Shop, { create() {}, update() {} })];`,
  },
  {
    code: 'KW6502',
    mistake: `interface ShopSpec { readonly owner?: string }
interface OldSpec { readonly who?: string }
export const Shop = defineKind<ShopSpec>({ group: 'example.com', version: 'v1', kind: 'Shop' });
export const Old = defineKind<OldSpec>({ group: 'example.com', version: 'v1beta1', kind: 'Shop', storage: false });`,
    cause: 'The versions have different fields but no converter: the API server would silently drop fields.',
    fix: `interface ShopSpec { readonly owner?: string }
interface OldSpec { readonly who?: string }
export const Shop = defineKind<ShopSpec>({ group: 'example.com', version: 'v1', kind: 'Shop' });
export const Old = defineKind<OldSpec>({ group: 'example.com', version: 'v1beta1', kind: 'Shop', storage: false });
export const conversion = runtime.converter(Shop, [
  runtime.spoke(Old, {
    toHub: ({ spec, ...rest }) => ({ ...rest, spec: spec.who === undefined ? {} : { owner: spec.who } }),
    fromHub: ({ spec, ...rest }) => ({ ...rest, spec: spec.owner === undefined ? {} : { who: spec.owner } }),
  }),
]);`,
  },
];
