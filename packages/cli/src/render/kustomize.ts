import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { applyJsonPatch, JsonPatchError, type UnstructuredObject } from '@kubewright/apimachinery';
import { parseAllDocuments, parseDocument } from 'yaml';
import { CliError } from '../program/cli-error.ts';

/** Objects of a manifest, free to be changed while they are rendered. */
type Draft = { -readonly [K in keyof UnstructuredObject]: UnstructuredObject[K] } & Record<string, unknown>;

interface Kustomization {
  readonly resources?: readonly string[];
  readonly namespace?: string;
  readonly namePrefix?: string;
  readonly images?: readonly { readonly name: string; readonly newName?: string; readonly newTag?: string }[];
  readonly patches?: readonly PatchEntry[];
}

/** JSON patches (RFC 6902) in files; kustomize knows more forms. */
interface PatchEntry {
  readonly path?: string;
  readonly target?: { readonly kind?: string; readonly name?: string };
}

const known = ['apiVersion', 'kind', 'resources', 'namespace', 'namePrefix', 'images', 'patches'];

/**
 * Renders the kustomizations that this program generates, as `kubectl kustomize` does; so nobody needs kubectl for it.
 *
 * @throws CliError KW7504 for a kustomization that uses more: generators, components, patches that are no JSON patches
 */
export function kustomize(folder: string, options: { readonly root: string }): readonly UnstructuredObject[] {
  const file = join(folder, 'kustomization.yaml');
  const kustomization = readKustomization(file, options.root);
  const objects = (kustomization.resources ?? []).flatMap((name): readonly UnstructuredObject[] => {
    const path = join(folder, name);
    if (!existsSync(path)) throw unusable(relative(options.root, file), `${name} is not there`);
    return statSync(path).isDirectory() ? kustomize(path, options) : readObjects(path);
  });
  const patches = (kustomization.patches ?? []).map((entry) => readPatch(entry, { file, root: options.root }));
  return transform(
    objects.map((object) => patches.reduce((patched, patch) => patch(patched), object)),
    kustomization,
  );
}

/** Reads a patch; answers what changes those objects that are its target. */
function readPatch(
  { path, target, ...rest }: PatchEntry,
  { file, root }: { readonly file: string; readonly root: string },
): (object: UnstructuredObject) => UnstructuredObject {
  const name = relative(root, file);
  const where = path === undefined ? undefined : join(dirname(file), path);
  const fields = Object.keys(target ?? {}).filter((key) => key !== 'kind' && key !== 'name');
  if (where === undefined || !target || fields.length > 0 || Object.keys(rest).length > 0)
    throw unusable(name, 'a patch has a "path" and a "target" of "kind" and "name" here, and nothing else');
  if (!existsSync(where)) throw unusable(name, `${path} is not there`);
  const document = parseDocument(readFileSync(where, 'utf8'));
  const patch: unknown = document.errors.length === 0 ? document.toJS({ maxAliasCount: 100 }) : undefined;
  if (!Array.isArray(patch))
    throw unusable(relative(root, where), 'it is no JSON patch, which is a list of operations');
  return (object) => {
    if (target.kind !== undefined && target.kind !== object.kind) return object;
    if (target.name !== undefined && target.name !== object.metadata?.name) return object;
    try {
      return applyJsonPatch(object, patch) as UnstructuredObject; // a patched object is one
    } catch (error) {
      if (!(error instanceof JsonPatchError)) throw error;
      throw unusable(relative(root, where), `${object.kind} ${object.metadata?.name}: ${error.message}`);
    }
  };
}

function readKustomization(file: string, root: string): Kustomization {
  const name = relative(root, file);
  if (!existsSync(file)) throw unusable(name, 'the file is not there');
  const document = parseDocument(readFileSync(file, 'utf8'));
  const [fault] = document.errors;
  if (fault) throw unusable(name, fault.message);
  const content: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
  const other = Object.keys(content as object).find((key) => !known.includes(key));
  if (other !== undefined) throw unusable(name, `it uses "${other}"; known here are ${known.slice(2).join(', ')}`);
  return content as Kustomization;
}

function unusable(name: string, why: string): CliError {
  return new CliError('KW7504', {
    what: `${name} cannot be rendered here`,
    why,
    remedy: 'mend it, or use kubectl, which knows all of kustomize: kubectl apply --server-side -k config/default',
  });
}

/** Reads every object of a YAML file. */
export function readObjects(path: string): readonly UnstructuredObject[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).flatMap((document) => {
    const [fault] = document.errors;
    if (fault) throw unusable(path, fault.message);
    const object: unknown = document.toJS({ maxAliasCount: 100 });
    return object === null || object === undefined ? [] : [object as UnstructuredObject];
  });
}

/** Kinds of the manifests here that have no namespace. */
const clusterScoped = [
  'Namespace',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleBinding',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];
/** Their names are their identity. */
const neverPrefixed = ['Namespace', 'CustomResourceDefinition'];

function transform(
  objects: readonly UnstructuredObject[],
  kustomization: Kustomization,
): readonly UnstructuredObject[] {
  const { namespace, namePrefix = '', images = [] } = kustomization;
  const names = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`));
  const placed = (wanted: string): ReadonlySet<string> =>
    new Set(
      objects
        .filter(({ kind }) => kind === wanted)
        .map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name}`),
    );
  const accounts = placed('ServiceAccount');
  const services = placed('Service');
  const renamed = (kind: string, name: string): string =>
    names.has(`${kind} ${name}`) ? `${namePrefix}${name}` : name;
  return objects.map((original) => {
    const object = structuredClone(original) as Draft;
    const { kind } = object;
    const name = object.metadata?.name ?? '';
    object.metadata = {
      ...object.metadata,
      name: neverPrefixed.includes(kind) ? name : `${namePrefix}${name}`,
      ...(namespace !== undefined && !clusterScoped.includes(kind) && { namespace }),
    };
    if (kind === 'Namespace' && namespace !== undefined) object.metadata = { ...object.metadata, name: namespace };
    if (/^(Cluster)?RoleBinding$/.test(kind)) bind(object, { renamed, accounts, namespace });
    if (kind === 'Deployment') fillPods(object, { renamed, images });
    if (/^(Mutating|Validating)WebhookConfiguration$/.test(kind))
      callService(object, { namePrefix, services, namespace });
    if (kind === 'CustomResourceDefinition' && namespace !== undefined) convertIn(object, namespace);
    return object;
  });
}

interface Renaming {
  readonly renamed: (kind: string, name: string) => string;
}

interface Binding extends Renaming {
  /** Of this kustomization, with their namespaces as written. */
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
    // Of a name in two namespaces it has to be that one.
    if (!accounts.has(`${subject.namespace ?? ''}/${subject.name}`)) return subject;
    const name = renamed(subject.kind, subject.name);
    return namespace === undefined ? { ...subject, name } : { ...subject, name, namespace };
  });
}

interface Calls {
  readonly namePrefix: string;
  /** Of this kustomization, with their namespaces as written. */
  readonly services: ReadonlySet<string>;
  readonly namespace: string | undefined;
}

interface ClientConfig {
  readonly service?: { readonly name: string; readonly namespace: string };
}

function callService(object: Draft, { namePrefix, services, namespace }: Calls): void {
  const { webhooks = [] } = object as { readonly webhooks?: readonly { readonly clientConfig?: ClientConfig }[] };
  object['webhooks'] = webhooks.map((webhook) => {
    const { service } = webhook.clientConfig ?? {};
    if (!service || !services.has(`${service.namespace}/${service.name}`)) return webhook;
    const renamed = { ...service, name: `${namePrefix}${service.name}`, namespace: namespace ?? service.namespace };
    return { ...webhook, clientConfig: { ...webhook.clientConfig, service: renamed } };
  });
}

/** kustomize fills in the namespace of a conversion's service; its name it leaves. */
function convertIn(object: Draft, namespace: string): void {
  const { conversion } = object['spec'] as {
    readonly conversion?: { readonly webhook?: { readonly clientConfig?: { service?: { namespace: string } } } };
  };
  const service = conversion?.webhook?.clientConfig?.service;
  if (service) service.namespace = namespace;
}

interface PodSpec {
  serviceAccountName?: string;
  containers?: { image?: string }[];
}

function fillPods(
  object: Draft,
  { renamed, images }: Renaming & { readonly images: NonNullable<Kustomization['images']> },
): void {
  // What the generator writes; the server judges the rest.
  const pod = (object['spec'] as { readonly template?: { readonly spec?: PodSpec } } | undefined)?.template?.spec;
  if (!pod) return;
  if (pod.serviceAccountName) pod.serviceAccountName = renamed('ServiceAccount', pod.serviceAccountName);
  for (const container of pod.containers ?? []) container.image = imageOf(container.image, images);
}

function imageOf(image = '', images: NonNullable<Kustomization['images']>): string {
  const [, name = image, tag] = /^(.*?)(?::([^/:]+))?$/.exec(image) ?? [];
  const found = images.find((each) => each.name === name);
  if (!found) return image;
  const newTag = found.newTag ?? tag;
  return newTag === undefined ? (found.newName ?? name) : `${found.newName ?? name}:${newTag}`;
}
