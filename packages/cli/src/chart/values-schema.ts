import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { JsonObject } from '@kubewright/apimachinery/internal';
import type { ChartValues } from './values.ts';

const flag: JsonObject = { type: 'boolean' };
const text: JsonObject = { type: 'string' };
const port: JsonObject = { type: 'integer', minimum: 1, maximum: 65_535 };
const anyObject: JsonObject = { type: 'object' };
const objects: JsonObject = { type: 'array', items: anyObject };
const texts: JsonObject = { type: 'object', additionalProperties: text };

/** Builds the schema with which Helm rejects values that the chart does not define. */
export function valuesSchema(values: ChartValues, own: readonly UnstructuredObject[]): JsonObject {
  const isClusterWide = own.some(
    ({ kind, ...object }) =>
      kind === 'CustomResourceDefinition' && (object['spec'] as { readonly scope?: string }).scope === 'Cluster', // a CustomResourceDefinition has a scope
  );
  const hasCertificates = own.some(({ apiVersion }) => apiVersion.startsWith('cert-manager.io/'));
  const properties = {
    manager: closed(managerProperties),
    rbac: closed({
      // A Role grants no access to cluster-scoped objects.
      namespaced: isClusterWide ? { const: false } : flag,
      helpers: closed({ enabled: flag }),
    }),
    serviceAccount: closed({ enabled: flag, name: text, annotations: texts, labels: texts }),
    crd: closed({ enabled: flag, keep: flag }),
    metrics: closed({ enabled: flag, port, secure: flag }),
    // Parts that the project does not have cannot be turned on.
    certManager: closed({ enabled: hasCertificates ? flag : { const: false } }),
    webhook: closed({ enabled: values.webhook.enabled ? flag : { const: false }, port }),
    prometheus: closed({ enabled: flag }),
    networkPolicy: closed({ enabled: flag }),
    nameOverride: text,
    fullnameOverride: text,
    // Helm passes this value to every chart.
    global: anyObject,
  } satisfies Record<keyof ChartValues | 'nameOverride' | 'fullnameOverride' | 'global', JsonObject>;
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...closed(properties) };
}

function closed(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  return { type: 'object', properties, additionalProperties: false };
}

const managerProperties: Readonly<Record<string, JsonObject>> = {
  replicas: { type: 'integer', minimum: 0 },
  image: closed({
    repository: { type: 'string', minLength: 1 },
    tag: text,
    pullPolicy: { enum: ['', 'Always', 'IfNotPresent', 'Never'] },
  }),
  args: { type: 'array', items: text },
  env: objects,
  resources: anyObject,
  podSecurityContext: anyObject,
  securityContext: anyObject,
  imagePullSecrets: objects,
  affinity: anyObject,
  nodeSelector: texts,
  tolerations: objects,
  topologySpreadConstraints: objects,
  priorityClassName: text,
  strategy: anyObject,
  terminationGracePeriodSeconds: { type: 'integer', minimum: 0 },
  annotations: texts,
  labels: texts,
  pod: closed({ annotations: texts, labels: texts }),
  extraVolumes: objects,
  extraVolumeMounts: objects,
};
