import type { UnstructuredObject } from '@kubewright/apimachinery';
import { both } from './condition.ts';
import { entries, type Lines, lines, optionalField, plain, scalar, type TemplateText, when } from './template-text.ts';

/** The fields of a container that chart values affect. */
export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly args?: readonly string[];
  readonly env?: readonly object[];
  readonly resources?: object;
  readonly securityContext?: object;
  readonly volumeMounts?: readonly { readonly name: string }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
}

/** The fields of a pod that chart values affect. */
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly securityContext?: object;
  readonly terminationGracePeriodSeconds?: number;
  readonly volumes?: readonly Volume[];
  readonly affinity?: object;
  readonly nodeSelector?: object;
  readonly tolerations?: readonly object[];
  readonly imagePullSecrets?: readonly object[];
  readonly priorityClassName?: string;
  readonly topologySpreadConstraints?: readonly object[];
}

interface Volume {
  readonly name: string;
}

/** The parts of a manager deployment that become chart values. */
export interface ManagerParts {
  readonly replicas: number;
  readonly strategy: object | undefined;
  readonly pod: PodSpec;
  readonly container: Container;
  /** Arguments that no other chart value controls. */
  readonly args: readonly string[];
}

/** Arguments that chart values control, by the value that controls them. */
const decided = {
  metrics: /^--metrics-(bind-address|secure)\b/,
  webhook: /^--webhook-(port|service|cert-path|cert-name|cert-key)\b/,
  certManager: /^--metrics-cert-/,
} as const;
/** The certificate volumes and the conditions under which they are used. */
const certificateVolumes: Readonly<Record<string, string>> = {
  'webhook-certs': '.Values.webhook.enabled',
  'metrics-certs': '.Values.certManager.enabled',
};

/** Inputs that shape the parts of the manager. */
export interface ManagerShaping {
  readonly text: TemplateText;
  /** Returns the condition of an argument, or of a volume or mount by its name. */
  readonly conditionOf: (part: string) => string | undefined;
}

/** Splits a rendered deployment into its parts. */
export function managerParts(deployment: UnstructuredObject): ManagerParts {
  // Rendered from the project's own manager.yaml and validated by the server.
  const {
    replicas = 1,
    strategy,
    template,
  } = deployment['spec'] as {
    readonly replicas?: number;
    readonly strategy?: object;
    readonly template: { readonly spec: PodSpec };
  };
  const pod = template.spec;
  const container = pod.containers.find(({ name }) => name === 'manager') ?? pod.containers[0] ?? {};
  const known = [...Object.values(decided), /^--health-probe-bind-address/];
  const args = (container.args ?? []).filter((arg) => !known.some((form) => form.test(arg)));
  return { replicas, strategy, pod, container, args };
}

/** Replaces the configurable parts of the deployment with chart values. */
export function managerTemplate(deployment: UnstructuredObject, shaping: ManagerShaping): object {
  const { text } = shaping;
  const { pod, container } = managerParts(deployment);
  const spec = deployment['spec'] as { readonly template: { readonly metadata: Metadata } }; // see above
  const { replicas: _replicas, strategy: _strategy, template, ...rest } = spec as typeof spec & Record<string, unknown>;
  const metadata = deployment.metadata as Metadata;
  return {
    ...deployment,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...text.fields(entries('.Values.manager.labels')) },
      ...text.fields(optionalField('annotations', '.Values.manager.annotations')),
    },
    spec: {
      ...rest,
      replicas: text.value('{{ .Values.manager.replicas }}'),
      ...text.fields(optionalField('strategy', '.Values.manager.strategy')),
      template: {
        metadata: {
          ...template.metadata,
          annotations: { ...template.metadata.annotations, ...text.fields(entries('.Values.manager.pod.annotations')) },
          labels: { ...template.metadata.labels, ...text.fields(entries('.Values.manager.pod.labels')) },
        },
        spec: podTemplate({ pod, container }, shaping),
      },
    },
  };
}

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

function podTemplate({ pod, container }: Pick<ManagerParts, 'pod' | 'container'>, shaping: ManagerShaping): object {
  const { text } = shaping;
  const { volumes = [], ...given } = pod;
  const simple = [
    'affinity',
    'imagePullSecrets',
    'nodeSelector',
    'priorityClassName',
    'tolerations',
    'topologySpreadConstraints',
  ] as const;
  const fields = Object.fromEntries(
    Object.entries(given).filter(([name]) => !(simple as readonly string[]).includes(name)),
  );
  return {
    ...fields,
    containers: pod.containers.map((each) => (each === container ? containerTemplate(each, shaping) : each)),
    ...text.fields(optionalField('securityContext', '.Values.manager.podSecurityContext')),
    securityContext: undefined,
    terminationGracePeriodSeconds: text.value('{{ .Values.manager.terminationGracePeriodSeconds }}'),
    ...Object.assign({}, ...simple.map((name) => text.fields(optionalField(name, `.Values.manager.${name}`)))),
    ...text.fields(
      listField('volumes', {
        items: volumes.map((each) => itemOf(each, shaping)),
        extra: '.Values.manager.extraVolumes',
      }),
    ),
  };
}

function containerTemplate(container: Container, shaping: ManagerShaping): object {
  const { text } = shaping;
  const { args = [], volumeMounts = [], ports = [], env: _env, resources: _resources, ...rest } = container;
  const mounts = volumeMounts.map((each) => itemOf(each, shaping));
  return {
    ...rest,
    args: argTemplates(args, shaping),
    image: text.value(
      '"{{ .Values.manager.image.repository }}{{- if not (contains "@" .Values.manager.image.repository) }}:{{ .Values.manager.image.tag | default .Chart.AppVersion }}{{- end }}"',
    ),
    imagePullPolicy: undefined,
    ...text.fields(lines('{{- with .Values.manager.image.pullPolicy }}', 'imagePullPolicy: {{ . }}', '{{- end }}')),
    ...text.fields(optionalField('env', '.Values.manager.env')),
    ports: ports.map((port) =>
      port.name === 'webhook-server' ? { ...port, containerPort: text.value('{{ .Values.webhook.port }}') } : port,
    ),
    ...text.fields(optionalField('resources', '.Values.manager.resources')),
    securityContext: undefined,
    ...text.fields(optionalField('securityContext', '.Values.manager.securityContext')),
    ...text.fields(listField('volumeMounts', { items: mounts, extra: '.Values.manager.extraVolumeMounts' })),
  };
}

function argTemplates(args: readonly string[], shaping: ManagerShaping): readonly string[] {
  const { text } = shaping;
  const isOwn = (arg: string): boolean =>
    !/^--health-probe-bind-address/.test(arg) && !Object.values(decided).some((form) => form.test(arg));
  const firstOwn = args.findIndex(isOwn);
  const firstWebhook = args.findIndex((arg) => decided.webhook.test(arg));
  const own = text.item(lines('{{- range .Values.manager.args }}', '- {{ . | quote }}', '{{- end }}'));
  const found = args.flatMap((arg, index): readonly string[] => {
    if (/^--metrics-bind-address/.test(arg)) return [text.item(metricsArgs)];
    if (decided.metrics.test(arg)) return [];
    if (decided.certManager.test(arg))
      return [text.item(when('.Values.certManager.enabled', lines(`- ${scalar(arg)}`)))];
    if (decided.webhook.test(arg)) return index === firstWebhook ? [text.item(webhookArgs(args, shaping))] : [];
    if (!isOwn(arg)) return [arg];
    return index === firstOwn ? [own] : [];
  });
  const namespaced = text.item(when('.Values.rbac.namespaced', lines('- --namespace={{ .Release.Namespace }}')));
  return [...found, ...(firstOwn === -1 ? [own] : []), namespaced];
}

/** Returns the webhook arguments, or the flag that turns the webhook server off. */
function webhookArgs(args: readonly string[], { conditionOf }: ManagerShaping): Lines {
  const given = args.filter((arg) => decided.webhook.test(arg));
  const port = '- --webhook-port={{ .Values.webhook.port }}';
  const written = (arg: string): readonly string[] => {
    const condition = conditionOf(arg);
    return condition === undefined
      ? [`- ${scalar(arg)}`]
      : [`{{- if ${condition} }}`, `- ${scalar(arg)}`, '{{- end }}'];
  };
  const isUsual = !given.some((arg) => arg.startsWith('--webhook-port'));
  return lines(
    '{{- if .Values.webhook.enabled }}',
    ...given.filter((arg) => !arg.startsWith('--webhook-port')).flatMap(written),
    ...(isUsual ? ['{{- if ne (toString .Values.webhook.port) "9443" }}', port, '{{- end }}'] : [port]),
    '{{- else }}',
    '- --webhook-port=-1',
    '{{- end }}',
  );
}

const metricsArgs = lines(
  '{{- if .Values.metrics.enabled }}',
  '- --metrics-bind-address=:{{ .Values.metrics.port }}',
  '{{- if not .Values.metrics.secure }}',
  '- --metrics-secure=false',
  '{{- end }}',
  '{{- else }}',
  '- --metrics-bind-address=0',
  '{{- end }}',
);

interface Item {
  readonly object: object;
  readonly condition: string | undefined;
}

/** Returns a volume or mount with its condition; certificate volumes are named after their purpose. */
function itemOf(object: { readonly name: string }, { conditionOf }: ManagerShaping): Item {
  return { object, condition: both(certificateVolumes[object.name], conditionOf(object.name)) };
}

/** Writes a list of fixed items, conditional items and the items of a chart value; omits the list if it would be empty. */
function listField(
  name: string,
  { items, extra }: { readonly items: readonly Item[]; readonly extra: string },
): (column: number) => readonly string[] {
  const isFixed = items.some(({ condition }) => condition === undefined);
  const conditions = [...new Set([...items.map(({ condition }) => condition), extra])].filter(Boolean);
  return (column) => {
    const list = [
      ...lines(`${name}:`)(column),
      ...items.flatMap(({ object, condition }) => {
        const item = lines(`- ${plain(JSON.stringify(object))}`);
        return condition === undefined ? item(column) : when(condition, item)(column);
      }),
      ...entries(extra)(column),
    ];
    if (isFixed) return list;
    const [one = '', ...more] = conditions;
    const any = conditions.map((each) => (each?.includes(' ') ? `(${each})` : each));
    return when(more.length === 0 ? one : `or ${any.join(' ')}`, () => list)(column);
  };
}
