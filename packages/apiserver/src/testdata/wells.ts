import type { Kind, KubernetesObject } from '@kubewright/apimachinery';

/** A kind for tests of extension API servers. */
export interface WellObject extends KubernetesObject {
  readonly spec: { readonly depth: number; readonly pump?: string; readonly buckets?: number };
  readonly status?: { readonly level?: number; readonly buckets?: number };
}

export const Well: Kind<WellObject> = {
  group: 'wells.example.com',
  version: 'v1',
  kind: 'Well',
  plural: 'wells',
  scope: 'Namespaced',
};

const spec = {
  type: 'object',
  required: ['depth'],
  properties: {
    depth: { type: 'integer', format: 'int32', minimum: 1, description: 'How deep the well is, in metres.' },
    pump: { type: 'string', enum: ['bucket', 'hand', 'motor'], default: 'bucket' },
    buckets: { type: 'integer', format: 'int32' },
  },
  'x-kubernetes-validations': [
    { rule: "self.depth < 100 || self.pump == 'motor'", message: 'a deep well needs a motor' },
  ],
};
const status = {
  type: 'object',
  properties: { level: { type: 'integer' }, buckets: { type: 'integer' }, selector: { type: 'string' } },
};

/** An entry of `config/apiserver/kinds.json`. */
interface Definition {
  readonly versions: readonly object[];
  readonly [field: string]: unknown;
}

/** The generated definition of the kind: the spec of a CRD with two versions. */
export const wellDefinition: Definition = {
  group: 'wells.example.com',
  scope: 'Namespaced',
  names: { kind: 'Well', plural: 'wells', singular: 'well', shortNames: ['we'] },
  versions: [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec, status } } },
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.buckets', statusReplicasPath: '.status.buckets', labelSelectorPath: '.status.selector' },
      },
      additionalPrinterColumns: [{ name: 'Depth', type: 'integer', jsonPath: '.spec.depth' }],
      selectableFields: [{ jsonPath: '.spec.pump' }],
    },
    {
      name: 'v1beta1',
      served: true,
      storage: false,
      deprecated: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { feet: { type: 'integer' }, pump: { type: 'string' } } } },
        },
      },
    },
  ],
};

/** A kind whose objects are computed from wells. */
export const WellReport: Kind<KubernetesObject & { readonly depth: number }> = {
  group: 'reports.wells.example.com',
  version: 'v1',
  kind: 'WellReport',
  plural: 'wellreports',
  scope: 'Namespaced',
};

export const reportDefinition: Definition = {
  group: 'reports.wells.example.com',
  scope: 'Namespaced',
  names: { kind: 'WellReport', plural: 'wellreports' },
  versions: [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: { type: 'object', required: ['depth'], properties: { depth: { type: 'integer', minimum: 1 } } },
      },
      additionalPrinterColumns: [{ name: 'Depth', type: 'integer', jsonPath: '.depth' }],
    },
  ],
};
