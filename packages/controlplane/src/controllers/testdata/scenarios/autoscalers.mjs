/** HorizontalPodAutoscalers. The metrics are objects of a CRD with the group and names of the resource metrics API. */
const definition = {
  metadata: { name: 'pods.metrics.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' } },
  spec: {
    group: 'metrics.k8s.io',
    scope: 'Namespaced',
    names: { plural: 'pods', singular: 'podmetrics', kind: 'PodMetrics' },
    versions: [{ name: 'v1beta1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } }],
  },
};
const time = (ms) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

async function metricsOf(t, usage) {
  await t.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const collection = `/apis/metrics.k8s.io/v1beta1/namespaces/${t.namespace}/pods`;
  await t.until('the metrics API', async () => (await t.call('GET', collection)).status === 200);
  for (const { metadata } of await t.list('pods')) {
    // Dated long after the start of the pod, because earlier usage does not count.
    const body = { metadata: { name: metadata.name, labels: metadata.labels }, timestamp: time(Date.now() + 600_000), window: '30s', containers: [{ name: 'c', usage }] };
    const { status, json } = await t.call('POST', collection, { apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics', ...body });
    if (status >= 300) throw new Error(JSON.stringify(json));
  }
}

async function workload(t, replicas, requests = { cpu: '100m', memory: '64Mi' }) {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'c', image: 'app:1', resources: { requests } }] } };
  await t.create('deployments', { metadata: { name: 'web' }, spec: { replicas, selector: { matchLabels: labels }, template } });
  await t.until('its pods', async () => (await t.get('deployments', 'web')).status?.availableReplicas === replicas);
}

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const autoscaler = (metrics, spec = {}) => ({ metadata: { name: 'web' }, spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 10, metrics, ...spec } });
const resource = (name, target) => ({ type: 'Resource', resource: { name, target } });
const cpu = (averageUtilization) => resource('cpu', { type: 'Utilization', averageUtilization });

const withoutPodNames = (value) => JSON.parse(JSON.stringify(value).replace(/web-[a-z0-9]+-[a-z0-9]{5}\b/g, 'web-*'));

async function decided(t, reason) {
  await t.until(reason, async () => (await t.get('horizontalpodautoscalers', 'web')).status?.conditions?.some((each) => each.reason === reason));
  // Upstream writes events after the status.
  const noted = { FailedGetResourceMetric: 'FailedComputeMetricsReplicas', FailedGetScale: 'FailedGetScale', SucceededRescale: 'SuccessfulRescale' }[reason];
  if (noted) await t.until(noted, async () => (await t.list('events')).some((each) => each.reason === noted));
  const { status } = await t.get('horizontalpodautoscalers', 'web');
  t.keep('autoscaler', withoutPodNames(status));
  const events = (await t.list('events')).filter(({ involvedObject }) => involvedObject.kind === 'HorizontalPodAutoscaler');
  t.keep('notes', [...new Set(events.map(({ type, reason, message, source }) => withoutPodNames(JSON.stringify([type, reason, message, source.component]))))].sort());
  t.keep('replicas', (await t.get('deployments', 'web'))?.spec.replicas ?? 'none');
}

export const autoscalers = {
  async 'autoscaler: scale-up, limited to the maximum rate'(t) {
    await workload(t, 2);
    await metricsOf(t, { cpu: '200m', memory: '10Mi' });
    await t.create('horizontalpodautoscalers', autoscaler([cpu(50)]));
    await decided(t, 'SucceededRescale');
  },
  async 'autoscaler: average value, and the larger of two proposals'(t) {
    await workload(t, 2);
    await metricsOf(t, { cpu: '20m', memory: '96Mi' });
    const memory = resource('memory', { type: 'AverageValue', averageValue: '64Mi' });
    await t.create('horizontalpodautoscalers', autoscaler([cpu(80), memory]));
    await decided(t, 'SucceededRescale');
  },
  async 'autoscaler: within the tolerance'(t) {
    await workload(t, 2);
    await metricsOf(t, { cpu: '53m', memory: '10Mi' });
    await t.create('horizontalpodautoscalers', autoscaler([cpu(50)]));
    await decided(t, 'DesiredWithinRange');
  },
  async 'autoscaler: stabilized scale-down'(t) {
    await workload(t, 3);
    await metricsOf(t, { cpu: '10m', memory: '10Mi' });
    await t.create('horizontalpodautoscalers', autoscaler([cpu(50)]));
    await decided(t, 'ScaleDownStabilized');
  },
  async 'autoscaler: custom scaling policies'(t) {
    await workload(t, 3);
    await metricsOf(t, { cpu: '1m', memory: '10Mi' });
    const scaleDown = { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 1, periodSeconds: 600 }] };
    await t.create('horizontalpodautoscalers', autoscaler([cpu(50)], { behavior: { scaleDown } }));
    await decided(t, 'SucceededRescale');
  },
  async 'autoscaler: replicas below the minimum'(t) {
    await workload(t, 1);
    await t.create('horizontalpodautoscalers', autoscaler([cpu(50)], { minReplicas: 2 }));
    await decided(t, 'SucceededRescale');
  },
  async 'autoscaler: pods without requests'(t) {
    await workload(t, 1, {});
    await metricsOf(t, { cpu: '1m', memory: '10Mi' });
    await t.create('horizontalpodautoscalers', autoscaler([cpu(50)]));
    await decided(t, 'FailedGetResourceMetric');
  },
  async 'autoscaler: pods without measurements'(t) {
    await workload(t, 1);
    await metricsOf({ ...t, namespace: t.namespace, call: t.call, until: t.until.bind(t), list: async () => [] }, {});
    await t.create('horizontalpodautoscalers', autoscaler([cpu(50)]));
    await decided(t, 'FailedGetResourceMetric');
  },
  async 'autoscaler: missing target'(t) {
    await t.create('horizontalpodautoscalers', autoscaler([cpu(50)]));
    await decided(t, 'FailedGetScale');
  },
  async 'autoscaler: target scaled to zero'(t) {
    await workload(t, 1);
    await t.patch('deployments', 'web', { spec: { replicas: 0 } });
    await t.create('horizontalpodautoscalers', autoscaler([cpu(50)]));
    await decided(t, 'ScalingDisabled');
  },
};
