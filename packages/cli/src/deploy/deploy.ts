import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { kustomize } from '../render/kustomize.ts';
import { applyObjects } from './apply-objects.ts';
import { type ClusterFlags, connect } from './connect.ts';
import { withOwnAddresses } from './own-addresses.ts';
import { rolledOut } from './rollout.ts';
import { removeStaleWebhooks } from './stale-webhooks.ts';
import { awaitWebhooks, isAdmission } from './webhook-readiness.ts';

/** Flags of `deploy`. */
export interface DeployOptions extends ClusterFlags {
  readonly image?: string;
  /** In seconds. */
  readonly timeout: number;
}

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

/** Deploys the operator and waits until it is available. */
export async function deploy(context: Context, options: DeployOptions): Promise<void> {
  const { surroundings, reporter } = context;
  const project = requireProject(surroundings.cwd);
  const objects = installObjects(project, options);
  if (options.image === undefined && JSON.stringify(objects).includes(placeholder))
    throw noImage(project, { what: 'the operator is not deployed', command: 'deploy' });
  await using connection = await connect(surroundings, options);
  reporter.step('cluster', connection.server);
  const target = { client: connection.client, surroundings };
  const { signal } = surroundings;
  await applyObjects(target, await withOwnAddresses(connection.client, { objects, signal }));
  reporter.step('applied', `${objects.length} objects`);
  for (const name of await removeStaleWebhooks(target, { project, objects })) reporter.step('webhooks removed', name);
  const timeoutMs = options.timeout * 1000;
  await rolledOut(target, { project, timeoutMs });
  const called = await awaitWebhooks(target, { objects, timeoutMs });
  if (called > 0) reporter.step('webhooks reachable', `${called} configurations`);
  reporter.step('operator available', `${project.name}-controller-manager in ${project.name}-system`);
}

/** The error for a missing image: the placeholder in generated manifests cannot run. */
export function noImage(
  { name }: Pick<Project, 'name'>,
  { what, command }: { readonly what: string; readonly command: string },
): CliError {
  return new CliError('KW7503', {
    what,
    why: `no image was named, and nobody has one called ${placeholder}`,
    remedy: `kubewright ${command} --image registry.example.com/${name}:0.1.0`,
  });
}
