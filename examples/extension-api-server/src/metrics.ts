import { type Kind, type KubernetesObject, objectKey, type Stored, systemClock } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { apiServer, computed, type ExtensionServer, type ExtensionServerOptions } from '@kubewright/apiserver';
import type { KubernetesClient } from '@kubewright/client';

/** The usage of one container, such as `{ cpu: '250m', memory: '64Mi' }`. */
type Usage = Readonly<Record<'cpu' | 'memory', string>>;

interface PodMetrics extends KubernetesObject {
  readonly timestamp: string;
  readonly window: string;
  readonly containers: readonly { readonly name: string; readonly usage: Usage }[];
}

/**
 * The kind that `kubectl top pods` and autoscalers read. Its plural is `pods`, the same as the plural of the measured
 * pods.
 */
export const PodMetrics: Kind<PodMetrics> = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
  scope: 'Namespaced',
};

const container = {
  type: 'object',
  properties: { name: { type: 'string' }, usage: { type: 'object', additionalProperties: { type: 'string' } } },
};
const properties = {
  timestamp: { type: 'string', format: 'date-time' },
  window: { type: 'string' },
  containers: { type: 'array', items: container },
};
// The kind has no spec to generate a schema from, so its schema is written by hand.
const definition = {
  group: PodMetrics.group,
  scope: PodMetrics.scope,
  names: { kind: PodMetrics.kind, plural: PodMetrics.plural, singular: 'podmetrics' },
  versions: [
    { name: 'v1beta1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
  ],
};

/** Serves `metrics.k8s.io` for the pods of a cluster: `measure` returns the usage of a container. */
export function metricsServer(
  measure: (pod: Stored<Pod>, container: string) => Usage,
  options: Omit<ExtensionServerOptions, 'kinds' | 'definitions'> & {
    readonly cluster: KubernetesClient;
  },
): ExtensionServer {
  const { cluster, clock = systemClock } = options;
  const pods = cluster.resource(Pod);
  const metricsOf = (pod: Stored<Pod>): PodMetrics => ({
    apiVersion: 'metrics.k8s.io/v1beta1',
    kind: 'PodMetrics',
    metadata: { ...objectKey(pod), labels: pod.metadata.labels ?? {} },
    timestamp: new Date(clock.now()).toISOString(),
    window: '15s',
    containers: (pod.spec?.containers ?? []).map(({ name }) => ({ name, usage: measure(pod, name) })),
  });
  const running = 'status.phase=Running';
  const kind = computed(PodMetrics, {
    list: async ({ namespace, labelSelector }) =>
      (
        await pods.list({
          ...(namespace && { namespace }),
          ...(labelSelector && { labelSelector }),
          fieldSelector: running,
        })
      ).items.map(metricsOf),
    get: async ({ namespace, name }) =>
      (await pods.list({ namespace, fieldSelector: `metadata.name=${name},${running}` })).items.map(metricsOf)[0],
  });
  return apiServer({ kinds: [kind], definitions: { kinds: [definition] }, ...options });
}
