import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { Crd } from '@kubewright/codegen';
import { parseDocument } from 'yaml';
import { managerParts } from '../chart/manager-template.ts';
import type { ProjectFile } from '../project/write-files.ts';
import { annotationPrefix } from './bundle-files.ts';

/** The parts of a CSV that rules apply to. */
interface Csv extends UnstructuredObject {
  readonly spec: {
    readonly version?: string;
    readonly replaces?: string;
    readonly installModes?: readonly { readonly type: string; readonly supported: boolean }[];
    readonly customresourcedefinitions?: { readonly owned?: readonly Owned[] };
    readonly relatedImages?: readonly { readonly image: string }[];
    readonly install?: {
      readonly strategy?: string;
      readonly spec?: { readonly deployments?: readonly { readonly name: string; readonly spec: object }[] };
    };
  };
}

interface Owned {
  readonly name: string;
  readonly kind: string;
  readonly version: string;
}

const kinds = [
  'ClusterServiceVersion',
  'CustomResourceDefinition',
  'Service',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
  'ConfigMap',
  'Secret',
  'PodDisruptionBudget',
  'PriorityClass',
  'VerticalPodAutoscaler',
  'ServiceMonitor',
  'PrometheusRule',
  'NetworkPolicy',
];
const modes = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];

/** Returns the violated rules of registry+v1, OLM v0 and OLM v1; an empty list means a valid bundle. */
export function checkBundle(files: readonly ProjectFile[]): readonly string[] {
  const text = (path: string): string => files.find((file) => file.path === path)?.text ?? '';
  const objects = files
    .filter(({ path }) => path.startsWith('bundle/manifests/'))
    .map((file) => parseDocument(file.text).toJS() as UnstructuredObject);
  const { annotations = {} } = (parseDocument(text('bundle/metadata/annotations.yaml')).toJS() ?? {}) as {
    readonly annotations?: Readonly<Record<string, string>>;
  };
  const csvs = objects.filter((object): object is Csv => object.kind === 'ClusterServiceVersion');
  const [csv] = csvs;
  return [
    ...checkAnnotations(annotations, text('bundle.Dockerfile')),
    ...checkKinds(files, objects),
    ...(csvs.length === 1 ? [] : [`there must be exactly one ClusterServiceVersion, got ${csvs.length}`]),
    ...(csv === undefined ? [] : checkCsv(csv, { objects, packageName: annotations[key('package.v1')] ?? '' })),
  ];
}

function key(name: string): string {
  return `${annotationPrefix}.bundle.${name}`;
}

function checkAnnotations(annotations: Readonly<Record<string, string>>, dockerfile: string): readonly string[] {
  const faults: string[] = [];
  const fixed = { 'mediatype.v1': 'registry+v1', 'manifests.v1': 'manifests/', 'metadata.v1': 'metadata/' };
  for (const [name, value] of Object.entries(fixed)) {
    if (annotations[key(name)] !== value) faults.push(`the annotation ${key(name)} must be ${value}`);
  }
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(annotations[key('package.v1')] ?? ''))
    faults.push(`the annotation ${key('package.v1')} must contain the package name`);
  const channels = (annotations[key('channels.v1')] ?? '').split(',').filter(Boolean);
  if (channels.length === 0) faults.push(`the annotation ${key('channels.v1')} must contain a channel`);
  if (!channels.includes(annotations[key('channel.default.v1')] ?? ''))
    faults.push(`the annotation ${key('channel.default.v1')} must be one of the channels`);
  for (const [name, value] of Object.entries(annotations)) {
    if (!dockerfile.includes(`LABEL ${name}=${value}\n`))
      faults.push(`bundle.Dockerfile is missing the label ${name}=${value}`);
  }
  if (!/^FROM scratch$/m.test(dockerfile)) faults.push('bundle.Dockerfile must start with FROM scratch');
  return faults;
}

function checkKinds(files: readonly ProjectFile[], objects: readonly UnstructuredObject[]): readonly string[] {
  const faults = objects
    .filter(({ kind }) => !kinds.includes(kind))
    .map(({ kind, metadata }) => `OLM cannot install ${kind} ${metadata?.name}`);
  const placed = objects
    .filter(({ kind, metadata }) => kind !== 'ClusterServiceVersion' && metadata?.namespace !== undefined)
    .map(({ kind, metadata }) => `${kind} ${metadata?.name} must not set a namespace: OLM chooses the namespace`);
  const hasDependencies = files.some(({ path }) => path === 'bundle/metadata/dependencies.yaml');
  return [...faults, ...placed, ...(hasDependencies ? ['OLM v1 does not support dependencies.yaml'] : [])];
}

interface CsvContext {
  readonly objects: readonly UnstructuredObject[];
  readonly packageName: string;
}

function checkCsv(csv: Csv, { objects, packageName }: CsvContext): readonly string[] {
  const { spec, metadata } = csv;
  const faults: string[] = [];
  const name = metadata?.name ?? '';
  const expected = `${packageName}.v${spec.version ?? ''}`;
  if (name !== expected) faults.push(`the name of the CSV must be ${expected}, got ${name}`);
  if (name.length > 63) faults.push(`the CSV's name is ${name.length} characters long; label values are limited to 63`);
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(spec.version ?? ''))
    faults.push('spec.version must be a semantic version');
  if (spec.replaces !== undefined && spec.replaces === name) faults.push('the CSV replaces itself');
  const named = (spec.installModes ?? []).map(({ type }) => type);
  if (modes.some((mode) => named.filter((each) => each === mode).length !== 1))
    faults.push(`spec.installModes must contain each of ${modes.join(', ')} exactly once`);
  // OLM v1 requires this mode.
  if (spec.installModes?.some(({ type, supported }) => type === 'AllNamespaces' && supported) !== true)
    faults.push('the install mode AllNamespaces must be supported');
  return [...faults, ...checkOwned(csv, objects), ...checkExamples(csv), ...checkDeployments(csv)];
}

function checkOwned({ spec }: Csv, objects: readonly UnstructuredObject[]): readonly string[] {
  const owned = (spec.customresourcedefinitions?.owned ?? []).map(printOwned);
  const crds = objects.filter(
    ({ kind }) => kind === 'CustomResourceDefinition',
  ) as readonly unknown[] as readonly Crd[]; // filtered by kind
  const served = crds.flatMap(({ metadata, spec: { names, versions } }) =>
    versions.filter((each) => each.served).map((each) => `${metadata.name} ${each.name} ${names.kind}`),
  );
  return [
    ...owned.filter((each) => !served.includes(each)).map((each) => `the CSV owns ${each}, but no CRD serves it`),
    ...served.filter((each) => !owned.includes(each)).map((each) => `the CSV must own ${each}`),
    ...owned.filter((each, index) => owned.indexOf(each) !== index).map((each) => `the CSV owns ${each} twice`),
  ];
}

function printOwned({ name, version, kind }: Owned): string {
  return `${name} ${version} ${kind}`;
}

function checkExamples({ metadata, spec }: Csv): readonly string[] {
  let examples: unknown;
  try {
    examples = JSON.parse(metadata?.annotations?.['alm-examples'] ?? '');
  } catch {
    // Reported below.
  }
  if (!Array.isArray(examples)) return ['the annotation alm-examples must be a JSON list'];
  const shown = (examples as readonly UnstructuredObject[]).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  const owned = (spec.customresourcedefinitions?.owned ?? []).map(
    ({ name, version, kind }) => `${name.slice(name.indexOf('.') + 1)}/${version} ${kind}`,
  );
  return [
    ...owned
      .filter((each) => !shown.includes(each))
      .map((each) => `alm-examples has no example of ${each}: add one to config/samples`),
    ...shown
      .filter((each) => !owned.includes(each))
      .map((each) => `alm-examples has ${each}, which the CSV does not own`),
  ];
}

function checkDeployments({ spec }: Csv): readonly string[] {
  const faults: string[] = [];
  if (spec.install?.strategy !== 'deployment') faults.push('spec.install.strategy must be deployment');
  const deployments = spec.install?.spec?.deployments ?? [];
  if (deployments.length === 0) faults.push('spec.install must contain a deployment');
  const related = (spec.relatedImages ?? []).map(({ image }) => image);
  const used = deployments.flatMap((each) =>
    managerParts({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec: each.spec }).pod.containers.map(
      ({ image = '' }) => image,
    ),
  );
  for (const image of used) if (!related.includes(image)) faults.push(`relatedImages is missing ${image}`);
  return faults;
}
