import type { UnstructuredObject } from '@kubewright/apimachinery';
import { lines, type TemplateText } from './template-text.ts';

interface Naming {
  readonly name: string;
  /** All objects of the chart; their names are replaced. */
  readonly own: readonly UnstructuredObject[];
  readonly text: TemplateText;
}

/** Replaces the project's name and namespace with those of the release, and kustomize's labels with Helm's. */
export function generalize(object: UnstructuredObject, { name, own, text }: Naming): UnstructuredObject {
  const namespace = text.value('{{ .Release.Namespace }}');
  const prefix = text.value(`{{ include "${name}.prefix" . }}`);
  const account = text.value(`{{ include "${name}.serviceAccountName" . }}`);
  const names = own
    .filter(({ kind }) => kind !== 'CustomResourceDefinition' && kind !== 'Namespace')
    .map(({ metadata }) => metadata?.name ?? '')
    .filter((each) => each.startsWith(`${name}-`))
    .sort((a, b) => b.length - a.length);
  const accounts = own.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata?.name);
  const whole = (value: string): string | undefined =>
    value === `${name}-system` ? namespace : accounts.includes(value) ? account : undefined;
  // A name stands alone or in a host or path: `x-webhook-service.x-system.svc`, `x-system/x-serving-cert`.
  const tokens = new RegExp(`(?<![\\w-])(${[...names, `${name}-system`].map(literal).join('|')})(?![\\w-])`, 'g');
  const inText = (value: string): string =>
    whole(value) ??
    value.replace(tokens, (found) => (found === `${name}-system` ? namespace : `${prefix}${found.slice(name.length)}`));
  const changed = mapTexts(object, { inText, isKept: (path) => isFixed(object, path) }) as UnstructuredObject;
  const isDeployment = object.kind === 'Deployment' || object.kind === 'Service';
  const shortName = isDeployment
    ? `${prefix}${(object.metadata?.name ?? '').slice(name.length)}`
    : changed.metadata?.name;
  return withLabels({ ...changed, metadata: { ...changed.metadata, ...(shortName && { name: shortName }) } }, text);
}

/**
 * True if the value at this path stays unchanged: schemas and pods contain the user's own text; labels and selectors are the
 * same in every release.
 */
function isFixed({ kind }: UnstructuredObject, path: string): boolean {
  if (/^(kind|apiVersion)$|\.(labels|matchLabels|selector)$/.test(path)) return true;
  if (kind === 'CustomResourceDefinition') return /^spec\.(versions|names|group)$|^metadata\.name$/.test(path);
  if (kind === 'Deployment') return /\.(env|command|image)$/.test(path);
  // RBAC rules can contain object names too.
  return /^rules\.(apiGroups|resources|verbs|nonResourceURLs)$/.test(path);
}

interface Mapping {
  readonly inText: (value: string) => string;
  readonly isKept: (path: string) => boolean;
}

function mapTexts(value: unknown, mapping: Mapping, path = ''): unknown {
  if (mapping.isKept(path)) return value;
  if (typeof value === 'string') return mapping.inText(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, mapping, path));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, mapTexts(each, mapping, path === '' ? key : `${path}.${key}`)]),
  );
}

function withLabels(object: UnstructuredObject, text: TemplateText): UnstructuredObject {
  const labels = object.metadata?.labels;
  const managedBy = 'app.kubernetes.io/managed-by';
  if (labels?.[managedBy] === undefined) return object;
  const more = lines(
    'app.kubernetes.io/instance: {{ .Release.Name }}',
    'helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}',
  );
  const changed = { ...labels, [managedBy]: text.value('{{ .Release.Service }}'), ...text.fields(more) };
  // A placeholder is a key whose value is null; the template has labels in its place.
  return { ...object, metadata: { ...object.metadata, labels: changed as Readonly<Record<string, string>> } };
}

function literal(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
