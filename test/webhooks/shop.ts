import { type FieldError, invalidField, type ObjectOf } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import {
  type ConversionWebhook,
  type CustomResource,
  converter,
  type DefinedKind,
  defaulter,
  defineKind,
  spoke,
  validator,
  type WebhookDefinition,
} from '@kubewright/runtime';

const group = 'shop.example.com';

interface ShopSpec {
  readonly owner: string;
  readonly size?: number;
}

/** The kind for webhook tests; `v1` is the hub. */
export const Shop: DefinedKind<CustomResource<ShopSpec>> = defineKind<ShopSpec>({ group, version: 'v1', kind: 'Shop' });
export type Shop = ObjectOf<typeof Shop>;

/** The older version, which has a single text field instead of the hub's two fields. */
export const ShopBeta: DefinedKind<CustomResource<{ readonly what: string }>> = defineKind<{ readonly what: string }>({
  group,
  version: 'v1beta1',
  kind: 'Shop',
});
export type ShopBeta = ObjectOf<typeof ShopBeta>;

/** Rejects large shops and owner changes, warns about small shops, and protects famous ones. */
export const shopRules: WebhookDefinition = validator(Shop, {
  create(shop, context) {
    if (shop.spec.owner === 'mole') throw new Error('moles have no shops');
    if ((shop.spec.size ?? 0) < 2) context.warn('a shop this small will not last');
    return tooLarge(shop);
  },
  update: (shop, { old }) => (shop.spec.owner === old.spec.owner ? tooLarge(shop) : 'the owner cannot be changed'),
  delete: (shop) => (shop.spec.owner === 'harrod' ? 'this one is famous' : undefined),
});

function tooLarge(shop: Shop): readonly FieldError[] {
  const { size = 0 } = shop.spec;
  return size > 9 ? [invalidField('spec.size', size, 'must be at most 9')] : [];
}

export const shopDefaults: WebhookDefinition = defaulter(Shop, (shop, { request }) => ({
  ...shop,
  metadata: { ...shop.metadata, annotations: { ...shop.metadata.annotations, by: request.userInfo.username ?? '' } },
  spec: { size: 3, ...shop.spec },
}));

export const shopConversion: ConversionWebhook = converter(Shop, [
  spoke(ShopBeta, {
    toHub(old) {
      const [owner = '', size = ''] = old.spec.what.split('/');
      if (!/^\d+$/.test(size)) throw new Error(`"${old.spec.what}" has no size`);
      return { spec: { owner, size: Number(size) } };
    },
    fromHub: (shop) => ({ spec: { what: `${shop.spec.owner}/${shop.spec.size ?? 0}` } }),
  }),
]);

/** Returns the CRD; the operator enables conversion. */
export function shopDefinition(): CustomResourceDefinition {
  const version = (name: string, options: { readonly storage: boolean; readonly spec: object }) => ({
    name,
    served: true,
    storage: options.storage,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', ...options.spec } } } },
  });
  const open = { 'x-kubernetes-preserve-unknown-fields': true };
  return CustomResourceDefinition({
    metadata: { name: `shops.${group}` },
    spec: {
      group,
      names: { plural: 'shops', singular: 'shop', kind: 'Shop', listKind: 'ShopList' },
      scope: 'Namespaced',
      versions: [
        version('v1', { storage: true, spec: { required: ['owner'], ...open } }),
        version('v1beta1', { storage: false, spec: { required: ['what'], ...open } }),
      ],
    },
  });
}
