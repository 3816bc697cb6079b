import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { PackageManifest } from '../project/package-manifest.ts';
import type { ProjectFile } from '../project/write-files.ts';
import { chartYaml } from './chart-yaml.ts';
import { managerTemplate } from './manager-template.ts';
import { namedTemplates } from './named-templates.ts';
import { generalize } from './names.ts';
import { placeOf } from './place.ts';
import { entries, lines, optionalField, TemplateText, when } from './template-text.ts';
import { chartValues, valuesText } from './values.ts';
import { valuesSchema } from './values-schema.ts';

/** What a chart is made of. */
export interface ChartInput {
  /** Name of the project and of the chart. */
  readonly name: string;
  readonly manifest: PackageManifest;
  /** What `config/default` renders to. */
  readonly objects: readonly UnstructuredObject[];
  /** Monitors and policies, which are installed on request; rendered with the prefix and namespace of the rest. */
  readonly optional: readonly UnstructuredObject[];
  readonly samples: readonly UnstructuredObject[];
  /** What is new since the last release, in words. */
  readonly changes: readonly string[];
}

/**
 * Makes a Helm chart that renders, with its default values and the project's name as release, what `config/default` renders
 * to; Helm's own labels apart. Keys of values are those of kubebuilder's charts (helm/v2-alpha).
 */
export function chartFiles(input: ChartInput): readonly ProjectFile[] {
  const { name, objects, optional } = input;
  const values = chartValues(input);
  const all = [...objects, ...optional].filter(({ kind }) => kind !== 'Namespace');
  return [
    { path: 'Chart.yaml', text: chartYaml(input) },
    { path: 'values.yaml', text: valuesText(values) },
    { path: 'values.schema.json', text: `${JSON.stringify(valuesSchema(values, all), null, 2)}\n` },
    { path: '.helmignore', text: '.git/\n.gitignore\n*.tgz\n' },
    { path: 'templates/_helpers.tpl', text: namedTemplates(name) },
    ...distinct(all.map((object) => template(object, input))),
  ];
}

/** A Role and a ClusterRole of one name are one file. */
function distinct(files: readonly ProjectFile[]): readonly ProjectFile[] {
  const texts = new Map<string, string>();
  for (const { path, text } of files) texts.set(path, texts.has(path) ? `${texts.get(path)}---\n${text}` : text);
  return [...texts].map(([path, text]) => ({ path, text }));
}

function template(object: UnstructuredObject, { name, objects, optional }: ChartInput): ProjectFile {
  const text = new TemplateText();
  const own = [...objects, ...optional];
  const { folder, file, condition } = placeOf(object, name);
  const written = text.write(shape(generalize(object, { name, own, text }), text));
  const body = condition === undefined ? written : `{{- if ${condition} }}\n${written}{{- end }}\n`;
  return { path: `templates/${folder}/${file}.yaml`, text: body };
}

/** What else values decide in an object of this kind. */
function shape(object: UnstructuredObject, text: TemplateText): object {
  switch (object.kind) {
    case 'CustomResourceDefinition':
      return withAnnotations(object, text.fields(when('.Values.crd.keep', lines('helm.sh/resource-policy: keep'))));
    case 'ServiceAccount':
      return {
        ...object,
        metadata: {
          ...object.metadata,
          ...text.fields(optionalField('annotations', '.Values.serviceAccount.annotations')),
          labels: { ...object.metadata?.labels, ...text.fields(entries('.Values.serviceAccount.labels')) },
        },
      };
    case 'ClusterRole':
    case 'ClusterRoleBinding':
      return namespacedRole(object, text);
    case 'Deployment':
      return managerTemplate(object, text);
    case 'Service':
      return withPorts(object, text);
    case 'ServiceMonitor':
      return withEndpoints(object, text);
    case 'NetworkPolicy':
      return withPolicyPort(object, text);
    default:
      return object;
  }
}

function withAnnotations(object: UnstructuredObject, more: object): object {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata?.annotations, ...more } } };
}

/** Who reads metrics and what calls webhooks is known cluster-wide, wherever the operator works. */
function namespacedRole(object: UnstructuredObject, text: TemplateText): object {
  const { name = '' } = object.metadata ?? {};
  if (/metrics-(auth-role|auth-rolebinding|reader)$|webhook-certificates-role(binding)?$/.test(name)) return object;
  const kind = (base: string): string =>
    text.value(`{{ if .Values.rbac.namespaced }}${base}{{ else }}Cluster${base}{{ end }}`);
  const roleRef = object['roleRef'] as { readonly kind: string; readonly name: string } | undefined;
  return {
    ...object,
    kind: kind(roleRef ? 'RoleBinding' : 'Role'),
    metadata: {
      ...object.metadata,
      ...text.fields(when('.Values.rbac.namespaced', lines('namespace: {{ .Release.Namespace }}'))),
    },
    ...(roleRef && { roleRef: { ...roleRef, kind: kind('Role') } }),
  };
}

interface Port {
  readonly name?: string;
  readonly port: number;
  readonly targetPort?: number | string;
}

function withPorts(object: UnstructuredObject, text: TemplateText): object {
  const isMetrics = object.metadata?.name?.endsWith('metrics-service') === true;
  const isWebhook = object.metadata?.name?.endsWith('webhook-service') === true;
  const spec = object['spec'] as { readonly ports?: readonly Port[] }; // rendered from the project's own manifests
  const ports = spec.ports?.map((port) => {
    if (isWebhook) return { ...port, targetPort: text.value('{{ .Values.webhook.port }}') };
    if (!isMetrics) return port;
    const number = text.value('{{ .Values.metrics.port }}');
    return { ...port, name: metricsScheme(text), port: number, targetPort: number };
  });
  return { ...object, spec: { ...spec, ports } };
}

function metricsScheme(text: TemplateText): string {
  return text.value('{{ if .Values.metrics.secure }}https{{ else }}http{{ end }}');
}

function withEndpoints(object: UnstructuredObject, text: TemplateText): object {
  const spec = object['spec'] as { readonly endpoints?: readonly Readonly<Record<string, unknown>>[] }; // as above
  const endpoints = spec.endpoints?.map(({ bearerTokenFile, tlsConfig, ...endpoint }) => ({
    ...endpoint,
    port: metricsScheme(text),
    scheme: metricsScheme(text),
    ...text.fields(
      when(
        '.Values.metrics.secure',
        lines(`bearerTokenFile: ${String(bearerTokenFile)}`, ...tlsConfigLines(tlsConfig)),
      ),
    ),
  }));
  return { ...object, spec: { ...spec, endpoints } };
}

/** Nobody is verified by a CA that nobody makes. */
function tlsConfigLines(tlsConfig: unknown): readonly string[] {
  const verified = `tlsConfig: ${JSON.stringify(tlsConfig)}`;
  if (typeof tlsConfig !== 'object' || tlsConfig === null || !('ca' in tlsConfig)) return [verified];
  const open = `tlsConfig: ${JSON.stringify({ insecureSkipVerify: true })}`;
  return ['{{- if .Values.certManager.enabled }}', verified, '{{- else }}', open, '{{- end }}'];
}

function withPolicyPort(object: UnstructuredObject, text: TemplateText): object {
  const [, what] = /allow-(metrics|webhook)-traffic$/.exec(object.metadata?.name ?? '') ?? [];
  if (what === undefined) return object;
  const spec = object['spec'] as { readonly ingress?: readonly { readonly ports?: readonly Port[] }[] }; // as above
  const ingress = spec.ingress?.map((rule) => ({
    ...rule,
    ports: rule.ports?.map((port) => ({ ...port, port: text.value(`{{ .Values.${what}.port }}`) })),
  }));
  return { ...object, spec: { ...spec, ingress } };
}
