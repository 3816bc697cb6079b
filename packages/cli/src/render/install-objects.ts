import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import { CliError } from '../program/cli-error.ts';
import type { Project } from '../project/find-project.ts';
import { kustomize, readObjects } from './kustomize.ts';
import { isAdmission } from './webhook-objects.ts';

/** The image in generated manifests. */
const placeholder = 'controller:latest';

/** Options for rendering a project's manifests. */
export interface InstallOptions {
  /** @defaultValue the image in the manifests */
  readonly image?: string | undefined;
  /** File contents that replace files on disk. @see SourceOptions */
  readonly files?: ReadonlyMap<string, string> | undefined;
}

/** Returns all objects of a deployed operator, with its image set. */
export function installObjects(
  { root }: Pick<Project, 'root'>,
  { image, files }: InstallOptions = {},
): readonly UnstructuredObject[] {
  const objects = kustomize(join(root, 'config', 'default'), { root, files });
  const sorted = [...objects].sort((a, b) => rank(a) - rank(b));
  return image === undefined ? sorted : sorted.map((object) => withImage(object, image));
}

/**
 * Orders namespace and kinds first, because the rest depends on them, and admission webhooks last, because they reject writes
 * until the operator runs.
 */
function rank(object: UnstructuredObject): number {
  return isAdmission(object) ? 10 : ['Namespace', 'CustomResourceDefinition'].indexOf(object.kind) + 1 || 9;
}

function withImage(object: UnstructuredObject, image: string): UnstructuredObject {
  if (object.kind !== 'Deployment') return object;
  const copy = structuredClone(object);
  // Rendered from our own manager.yaml.
  const { template } = copy['spec'] as {
    readonly template: { readonly spec: { readonly containers: { image: string }[] } };
  };
  for (const container of template.spec.containers) if (container.image === placeholder) container.image = image;
  return copy;
}

/** Returns the generated CRDs of a project. @throws CliError KW7402 if no CRD exists */
export function crdsOf({ root }: Pick<Project, 'root'>): readonly UnstructuredObject[] {
  const folder = join(root, 'config', 'crd', 'bases');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)) : [];
  if (files.length > 0) return files.sort().flatMap((name) => readObjects(join(folder, name)));
  throw new CliError('KW7402', {
    what: 'no kinds to install',
    why: `${folder} contains no CRDs`,
    remedy: 'generate the CRDs from the types: kubewright generate',
  });
}

/** True if an object still has the image of the generated manifests. */
export function lacksImage(objects: readonly UnstructuredObject[]): boolean {
  return stringifyJson(objects).includes(placeholder);
}

/** Returns the error for a missing image: the placeholder in generated manifests cannot run. */
export function noImage(
  { name }: Pick<Project, 'name'>,
  { what, command }: { readonly what: string; readonly command: string },
): CliError {
  return new CliError('KW7503', {
    what,
    why: `no image was specified, and the placeholder ${placeholder} does not exist`,
    remedy: `specify an image: kubewright ${command} --image registry.example.com/${name}:0.1.0`,
  });
}
