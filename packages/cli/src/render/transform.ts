import { parseApiVersion, type UnstructuredObject } from '@kubewright/apimachinery';
import { findBuiltinKind } from '@kubewright/schema/internal';
import { type ImageEntry, type Renamed, renameInPods, workloads } from './pod-references.ts';

/** The transformations that a kustomization applies to all its objects. */
export interface Transformation {
  readonly namespace?: string;
  readonly namePrefix?: string;
  readonly images?: readonly ImageEntry[];
}

/** A mutable object during rendering. */
type Draft = { -readonly [K in keyof UnstructuredObject]: UnstructuredObject[K] } & Record<string, unknown>;

/** Their names are fixed. */
const neverPrefixed = ['Namespace', 'CustomResourceDefinition', 'APIService'];

/** Built-in kinds that have no references, or whose references are handled below. */
const followed: ReadonlySet<string> = new Set([
  ...neverPrefixed,
  ...workloads,
  ...['ConfigMap', 'Secret', 'Service', 'ServiceAccount', 'PriorityClass', 'RuntimeClass', 'StorageClass'],
  ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration', 'ValidatingAdmissionPolicy'],
  ...['NetworkPolicy', 'PodDisruptionBudget', 'ResourceQuota', 'LimitRange', 'Lease', 'PersistentVolumeClaim'],
]);

/** Returns a built-in kind whose references are not supported, or undefined. */
export function unknownReferences(objects: readonly UnstructuredObject[]): string | undefined {
  return objects.find((each) => builtin(each) !== undefined && !followed.has(each.kind))?.kind;
}

/** Applies name prefix and namespace to objects and to the references between them. */
export function transform(
  objects: readonly UnstructuredObject[],
  { namespace, namePrefix = '', images = [] }: Transformation,
): readonly UnstructuredObject[] {
  const names = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`));
  const placed = (wanted: string): ReadonlySet<string> =>
    new Set(
      objects
        .filter(({ kind }) => kind === wanted)
        .map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name}`),
    );
  const [accounts, services] = [placed('ServiceAccount'), placed('Service')];
  const renamed: Renamed = (kind, name) => (names.has(`${kind} ${name}`) ? `${namePrefix}${name}` : name);
  const service = (of: ServiceReference): ServiceReference =>
    services.has(`${of.namespace}/${of.name}`)
      ? { ...of, name: `${namePrefix}${of.name}`, namespace: namespace ?? of.namespace }
      : of;
  return objects.map((original) => {
    const object = structuredClone(original) as Draft;
    const { kind } = object;
    const name = object.metadata?.name ?? '';
    object.metadata = {
      ...object.metadata,
      name: neverPrefixed.includes(kind) ? name : `${namePrefix}${name}`,
      // kustomize treats unknown kinds as namespaced.
      ...(namespace !== undefined && builtin(object)?.scope !== 'Cluster' && { namespace }),
    };
    if (kind === 'Namespace' && namespace !== undefined) object.metadata = { ...object.metadata, name: namespace };
    if (/^(Cluster)?RoleBinding$/.test(kind)) bind(object, { renamed, accounts, namespace });
    if (kind === 'ServiceAccount') renameSecrets(object, renamed);
    if (/^(Mutating|Validating)WebhookConfiguration$/.test(kind)) callService(object, service);
    if (kind === 'APIService') passOn(object, service);
    if (kind === 'CustomResourceDefinition' && namespace !== undefined) convertIn(object, namespace);
    renameInPods(object, { renamed, images });
    return object;
  });
}

function builtin({ apiVersion, kind }: UnstructuredObject): ReturnType<typeof findBuiltinKind> {
  return findBuiltinKind({ ...parseApiVersion(apiVersion), kind });
}

interface Binding {
  readonly renamed: Renamed;
  /** Accounts in this kustomization, with their namespaces as written. */
  readonly accounts: ReadonlySet<string>;
  readonly namespace: string | undefined;
}

function bind(object: Draft, { renamed, accounts, namespace }: Binding): void {
  const { roleRef, subjects = [] } = object as {
    readonly roleRef?: { readonly kind: string; readonly name: string };
    readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
  };
  if (roleRef) object['roleRef'] = { ...roleRef, name: renamed(roleRef.kind, roleRef.name) };
  object['subjects'] = subjects.map((subject) => {
    // The same name can exist in two namespaces, so both must match.
    if (!accounts.has(`${subject.namespace ?? ''}/${subject.name}`)) return subject;
    const name = renamed(subject.kind, subject.name);
    return namespace === undefined ? { ...subject, name } : { ...subject, name, namespace };
  });
}

function renameSecrets(object: Draft, renamed: Renamed): void {
  for (const field of ['imagePullSecrets', 'secrets']) {
    const list = object[field] as readonly { readonly name: string }[] | undefined;
    if (list) object[field] = list.map((each) => ({ ...each, name: renamed('Secret', each.name) }));
  }
}

interface ServiceReference {
  readonly name: string;
  readonly namespace: string;
}

interface ClientConfig {
  readonly service?: ServiceReference;
}

function callService(object: Draft, service: (of: ServiceReference) => ServiceReference): void {
  const { webhooks = [] } = object as { readonly webhooks?: readonly { readonly clientConfig?: ClientConfig }[] };
  object['webhooks'] = webhooks.map((webhook) => {
    const { clientConfig } = webhook;
    if (!clientConfig?.service) return webhook;
    return { ...webhook, clientConfig: { ...clientConfig, service: service(clientConfig.service) } };
  });
}

function passOn(object: Draft, service: (of: ServiceReference) => ServiceReference): void {
  const spec = object['spec'] as ClientConfig | undefined;
  if (spec?.service) object['spec'] = { ...spec, service: service(spec.service) };
}

/** Sets the namespace of a conversion's service. Like kustomize, keeps the service's name. */
function convertIn(object: Draft, namespace: string): void {
  const { conversion } = object['spec'] as {
    readonly conversion?: { readonly webhook?: { readonly clientConfig?: { service?: { namespace: string } } } };
  };
  const service = conversion?.webhook?.clientConfig?.service;
  if (service) service.namespace = namespace;
}
