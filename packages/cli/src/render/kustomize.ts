import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import { parseAllDocuments, parseDocument } from 'yaml';
import { CliError } from '../program/cli-error.ts';

/** Objects of a manifest, free to be changed while they are rendered. */
type Draft = { -readonly [K in keyof UnstructuredObject]: UnstructuredObject[K] } & Record<string, unknown>;

interface Kustomization {
  readonly resources?: readonly string[];
  readonly namespace?: string;
  readonly namePrefix?: string;
  readonly images?: readonly { readonly name: string; readonly newName?: string; readonly newTag?: string }[];
}

const known = ['apiVersion', 'kind', 'resources', 'namespace', 'namePrefix', 'images'];

/**
 * Renders the kustomizations that this program generates, as `kubectl kustomize` does; so nobody needs kubectl for it.
 *
 * @throws CliError KW7504 for a kustomization that uses more: patches, generators, components
 */
export function kustomize(folder: string, options: { readonly root: string }): readonly UnstructuredObject[] {
  const file = join(folder, 'kustomization.yaml');
  const kustomization = readKustomization(file, options.root);
  const objects = (kustomization.resources ?? []).flatMap((name): readonly UnstructuredObject[] => {
    const path = join(folder, name);
    if (!existsSync(path)) throw unusable(relative(options.root, file), `${name} is not there`);
    return statSync(path).isDirectory() ? kustomize(path, options) : readObjects(path);
  });
  return transform(objects, kustomization);
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
  const accounts = new Set(
    objects
      .filter(({ kind }) => kind === 'ServiceAccount')
      .map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name}`),
  );
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
