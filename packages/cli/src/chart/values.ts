import { formatYaml } from '@kubewright/schema/internal';
import type { ChartInput } from './chart-files.ts';
import { managerParts } from './manager-template.ts';

/** The values of a chart, with defaults from `config/default`. */
export interface ChartValues {
  readonly manager: Readonly<Record<string, unknown>>;
  readonly rbac: { readonly namespaced: boolean; readonly helpers: { readonly enabled: boolean } };
  readonly serviceAccount: Readonly<Record<string, unknown>>;
  readonly crd: { readonly enabled: boolean; readonly keep: boolean };
  readonly metrics: { readonly enabled: boolean; readonly port: number; readonly secure: boolean };
  readonly certManager: { readonly enabled: boolean };
  readonly webhook: { readonly enabled: boolean; readonly port: number };
  readonly prometheus: { readonly enabled: boolean };
  readonly networkPolicy: { readonly enabled: boolean };
}

/** Derives the default values from the objects of `config/default`. */
export function chartValues({ objects }: Pick<ChartInput, 'objects'>): ChartValues {
  const has = (form: RegExp): boolean => objects.some(({ apiVersion, kind }) => form.test(`${apiVersion} ${kind}`));
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  const args = deployment ? (managerParts(deployment).container.args ?? []) : [];
  const metrics = portIn(args, '--metrics-bind-address');
  return {
    manager: deployment ? managerValues(managerParts(deployment)) : {},
    rbac: { namespaced: false, helpers: { enabled: true } },
    serviceAccount: { enabled: true, name: '', annotations: {}, labels: {} },
    crd: { enabled: true, keep: true },
    metrics: {
      enabled: metrics !== undefined,
      port: metrics ?? 8443,
      secure: !args.includes('--metrics-secure=false'),
    },
    certManager: { enabled: has(/^cert-manager\.io\//) },
    // An operator with only conversion webhooks has no webhook configurations.
    webhook: { enabled: args.some((arg) => /^--webhook-(service|cert-path)=/.test(arg)), port: webhookPort(args) },
    prometheus: { enabled: has(/ServiceMonitor$/) },
    networkPolicy: { enabled: has(/NetworkPolicy$/) },
  };
}

function managerValues({
  replicas,
  strategy,
  pod,
  container,
  args,
}: ReturnType<typeof managerParts>): ChartValues['manager'] {
  const [, repository = '', tag = ''] = /^(.*@.*|.*?)(?::([^/:@]+))?$/.exec(container.image ?? '') ?? [];
  return {
    replicas,
    image: { repository, tag, pullPolicy: container.imagePullPolicy ?? '' },
    args,
    env: container.env ?? [],
    resources: container.resources ?? {},
    podSecurityContext: pod.securityContext ?? {},
    securityContext: container.securityContext ?? {},
    imagePullSecrets: pod.imagePullSecrets ?? [],
    affinity: pod.affinity ?? {},
    nodeSelector: pod.nodeSelector ?? {},
    tolerations: pod.tolerations ?? [],
    topologySpreadConstraints: pod.topologySpreadConstraints ?? [],
    priorityClassName: pod.priorityClassName ?? '',
    strategy: strategy ?? {},
    terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds ?? 30,
    annotations: {},
    labels: {},
    pod: { annotations: {}, labels: {} },
    extraVolumes: [],
    extraVolumeMounts: [],
  };
}

/** Returns the port of an address flag, or undefined if the flag is missing or the port is `0`. */
function portIn(args: readonly string[], flag: string): number | undefined {
  const port = args.map((arg) => new RegExp(`^${flag}=.*:(\\d+)$`).exec(arg)?.[1]).find(Boolean);
  return port === undefined || port === '0' ? undefined : Number(port);
}

function webhookPort(args: readonly string[]): number {
  const port = args.map((arg) => /^--webhook-port=(\d+)$/.exec(arg)?.[1]).find(Boolean);
  return Number(port ?? 9443);
}

/** The comment on each part in `values.yaml`. */
const comments: Readonly<Record<keyof ChartValues, string>> = {
  manager:
    "The operator's Deployment. image.tag defaults to the chart's appVersion, pullPolicy to the cluster's default.\n# The heap size in env is 70 % of resources.limits.memory: change both together.",
  rbac: "namespaced: restrict the operator and its permissions to the release's namespace.\n# helpers: create roles for users (admin, editor and viewer of each kind).",
  serviceAccount: 'The service account of the operator. With enabled: false, the account in name must already exist.',
  crd: 'The CRDs. keep: helm uninstall does not delete the CRDs and their objects.',
  metrics: 'The endpoint /metrics. secure: serve HTTPS to authorized clients only (role metrics-reader).',
  certManager: 'Issue certificates with cert-manager, which must be installed; otherwise the operator creates its own.',
  webhook: 'Admission and conversion webhooks, if the operator has any.',
  prometheus: 'A ServiceMonitor; the CRDs of the Prometheus Operator must be installed.',
  networkPolicy:
    'A NetworkPolicy that allows only webhook calls, and metrics requests from namespaces labeled metrics: enabled.',
};

/** Writes `values.yaml`, with a comment on each part. */
export function valuesText(values: ChartValues): string {
  return Object.entries(values)
    .map(([key, value]) => `# ${comments[key as keyof ChartValues]}\n${formatYaml({ [key]: value })}`)
    .join('\n');
}
