import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { PackageManifest } from '../project/package-manifest.ts';
import type { ProjectFile } from '../project/write-files.ts';
import { type CertificateChoice, certificateChoice, noChoice } from './certificate-choice.ts';
import { chartYaml } from './chart-yaml.ts';
import { both } from './condition.ts';
import { managerTemplate } from './manager-template.ts';
import { namedTemplates } from './named-templates.ts';
import { generalize } from './names.ts';
import { templatePathOf } from './template-path.ts';
import { entries, lines, optionalField, plain, scalar, TemplateText, when } from './template-text.ts';
import { chartValues, valuesText } from './values.ts';
import { valuesSchema } from './values-schema.ts';

/** The rendered objects of a project. */
export interface Rendered {
  /** The objects rendered from `config/default`. */
  readonly objects: readonly UnstructuredObject[];
  /** Monitors and policies, which are installed on request; rendered with the same prefix and namespace. */
  readonly optional: readonly UnstructuredObject[];
}

export interface ChartInput extends Rendered {
  /** Name of the project and of the chart. */
  readonly name: string;
  readonly manifest: PackageManifest;
  /** The default certificate issuer. */
  readonly certificates: 'own' | 'cert-manager';
  /** The objects rendered with the other issuer. @defaultValue the issuer cannot be changed */
  readonly other?: Rendered | undefined;
  readonly samples: readonly UnstructuredObject[];
  /** Changes since the last release, in plain text. */
  readonly changes: readonly string[];
}

/**
 * Builds a Helm chart. With its default values and the project's name as the release name, it renders the same objects as
 * `config/default`, except for Helm's own labels. The value keys match those of kubebuilder's charts (helm/v2-alpha).
 */
export function chartFiles(input: ChartInput): readonly ProjectFile[] {
  const { name } = input;
  const values = chartValues(input);
  const choice = choiceOf(input);
  const all = choice.objects.filter(({ kind }) => kind !== 'Namespace');
  return [
    { path: 'Chart.yaml', text: chartYaml(input) },
    { path: 'values.yaml', text: valuesText(values) },
    { path: 'values.schema.json', text: `${JSON.stringify(valuesSchema(values, all), null, 2)}\n` },
    { path: '.helmignore', text: '.git/\n.gitignore\n*.tgz\n' },
    { path: 'templates/_helpers.tpl', text: namedTemplates(name) },
    ...distinct(all.map((object) => template(object, { name, choice }))),
  ];
}

function choiceOf({ objects, optional, certificates, other }: ChartInput): CertificateChoice {
  const rendered = [...objects, ...optional];
  if (!other) return noChoice(rendered);
  const others = [...other.objects, ...other.optional];
  return certificateChoice(
    certificates === 'own' ? { own: rendered, certManager: others } : { own: others, certManager: rendered },
  );
}

/** Merges files with the same path: a Role and a ClusterRole of the same name share one file. */
function distinct(files: readonly ProjectFile[]): readonly ProjectFile[] {
  const texts = new Map<string, string>();
  for (const { path, text } of files) texts.set(path, texts.has(path) ? `${texts.get(path)}---\n${text}` : text);
  return [...texts].map(([path, text]) => ({ path, text }));
}

interface Shaping {
  readonly name: string;
  readonly choice: CertificateChoice;
}

function template(object: UnstructuredObject, { name, choice }: Shaping): ProjectFile {
  const text = new TemplateText(object);
  const { folder, file, ...place } = templatePathOf(object, name);
  const condition = both(place.condition, choice.ofObject(object));
  const general = generalize(object, { name, own: choice.objects, text });
  const written = text.write(shape(chosenAnnotations(general, { text, choice }), { text, choice }));
  const body = condition === undefined ? written : `{{- if ${condition} }}\n${written}{{- end }}\n`;
  return { path: `templates/${folder}/${file}.yaml`, text: body };
}

interface Choosing {
  readonly text: TemplateText;
  readonly choice: CertificateChoice;
}

/** Adds conditions to the annotations that depend on the certificate issuer. */
function chosenAnnotations(object: UnstructuredObject, { text, choice }: Choosing): UnstructuredObject {
  const annotations = Object.entries(object.metadata?.annotations ?? {});
  const chosen = annotations.filter(([name]) => choice.ofAnnotation(name) !== undefined);
  const [first] = chosen;
  if (!first) return object;
  const condition = choice.ofAnnotation(first[0]) ?? '';
  const written = chosen.map(([name, value]) => `${scalar(name)}: ${scalar(value)}`);
  const others = annotations.filter((each) => !chosen.includes(each));
  const { annotations: _annotations, ...metadata } = object.metadata ?? {};
  const fields =
    others.length === 0
      ? text.fields(when(condition, lines('annotations:', ...written.map((line) => `  ${line}`))))
      : { annotations: { ...Object.fromEntries(others), ...text.fields(when(condition, lines(...written))) } };
  // `fields` can contain placeholders (keys whose value is null). The template replaces each placeholder with the
  // fields that it stands for.
  return { ...object, metadata: { ...metadata, ...fields } as UnstructuredObject['metadata'] & object };
}

/** Replaces the other parts of an object that depend on chart values. */
function shape(object: UnstructuredObject, { text, choice }: Choosing): object {
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
      return managerTemplate(object, { text, conditionOf: choice.ofPart });
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

/**
 * Converts ClusterRoles to Roles on request, except the roles for metrics access and webhook certificates, which are always
 * cluster-wide.
 */
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
  const spec = object['spec'] as { readonly ports?: readonly Port[] }; // The Service was rendered from the project's own manifests.
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
  const spec = object['spec'] as { readonly endpoints?: readonly Readonly<Record<string, unknown>>[] }; // see above
  const endpoints = spec.endpoints?.map(({ bearerTokenFile, tlsConfig, ...endpoint }) => ({
    ...endpoint,
    port: metricsScheme(text),
    scheme: metricsScheme(text),
    ...text.fields(
      when(
        '.Values.metrics.secure',
        lines(`bearerTokenFile: ${scalar(String(bearerTokenFile))}`, ...tlsConfigLines(tlsConfig)),
      ),
    ),
  }));
  return { ...object, spec: { ...spec, endpoints } };
}

/** Skips verification without cert-manager: no CA exists to verify against. */
function tlsConfigLines(tlsConfig: unknown): readonly string[] {
  const verified = `tlsConfig: ${plain(JSON.stringify(tlsConfig))}`;
  if (typeof tlsConfig !== 'object' || tlsConfig === null || !('ca' in tlsConfig)) return [verified];
  const open = `tlsConfig: ${JSON.stringify({ insecureSkipVerify: true })}`;
  return ['{{- if .Values.certManager.enabled }}', verified, '{{- else }}', open, '{{- end }}'];
}

function withPolicyPort(object: UnstructuredObject, text: TemplateText): object {
  const [, what] = /allow-(metrics|webhook)-traffic$/.exec(object.metadata?.name ?? '') ?? [];
  if (what === undefined) return object;
  const spec = object['spec'] as { readonly ingress?: readonly { readonly ports?: readonly Port[] }[] }; // see above
  const ingress = spec.ingress?.map((rule) => ({
    ...rule,
    ports: rule.ports?.map((port) => ({ ...port, port: text.value(`{{ .Values.${what}.port }}`) })),
  }));
  return { ...object, spec: { ...spec, ingress } };
}
