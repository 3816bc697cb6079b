import { join } from 'node:path';
import { sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { kustomize } from '../render/kustomize.ts';
import { applyObjects, type Target } from './apply-objects.ts';
import { type ClusterFlags, connect } from './connect.ts';
import { withOwnAddresses } from './own-addresses.ts';
import { awaitWebhooks, isAdmission } from './webhook-readiness.ts';

/** Flags of `deploy`. */
export interface DeployOptions extends ClusterFlags {
  readonly image?: string;
  /** In seconds. */
  readonly timeout: number;
}

const pollMs = 200;
const placeholder = 'controller:latest';

/** Everything that a deployed operator is made of, its image filled in. */
export function installObjects({ root }: Pick<Project, 'root'>, image?: string): readonly UnstructuredObject[] {
  const objects = kustomize(join(root, 'config', 'default'), { root });
  const sorted = [...objects].sort((a, b) => rank(a) - rank(b));
  return image === undefined ? sorted : sorted.map((object) => withImage(object, image));
}

/** Namespace and kinds first: what follows lives in them. Last what refuses writes until the operator runs. */
function rank(object: UnstructuredObject): number {
  return isAdmission(object) ? 10 : ['Namespace', 'CustomResourceDefinition'].indexOf(object.kind) + 1 || 9;
}

function withImage(object: UnstructuredObject, image: string): UnstructuredObject {
  if (object.kind !== 'Deployment') return object;
  const copy = structuredClone(object);
  // It was rendered from our own manager.yaml.
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
  const objects = installObjects(project, options.image);
  if (options.image === undefined && JSON.stringify(objects).includes(placeholder))
    throw noImage(project, { what: 'the operator is not deployed', command: 'deploy' });
  await using connection = await connect(surroundings, options);
  reporter.step('cluster', connection.server);
  const target = { client: connection.client, surroundings };
  const { signal } = surroundings;
  await applyObjects(target, await withOwnAddresses(connection.client, { objects, signal }));
  reporter.step('applied', `${objects.length} objects`);
  const timeoutMs = options.timeout * 1000;
  await available(target, { project, timeoutMs });
  const called = await awaitWebhooks(target, { objects, timeoutMs });
  if (called > 0) reporter.step('webhooks reachable', `${called} configurations`);
  reporter.step('operator available', `${project.name}-controller-manager in ${project.name}-system`);
}

interface Rollout {
  readonly project: Project;
  readonly timeoutMs: number;
}

async function available({ client, surroundings }: Target, { project, timeoutMs }: Rollout): Promise<void> {
  const { clock, signal } = surroundings;
  const key = { namespace: `${project.name}-system`, name: `${project.name}-controller-manager` };
  for (const end = clock.monotonic() + timeoutMs; clock.monotonic() < end; await sleep(clock, { ms: pollMs, signal })) {
    const { metadata, spec, status } = await client.resource(Deployment).get(key, { signal });
    const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
    const wanted = spec?.replicas ?? 1;
    if (observedGeneration >= (metadata.generation ?? 0) && updatedReplicas >= wanted && availableReplicas >= wanted)
      return;
  }
  const pods = (await client.resource(Pod).list({ namespace: key.namespace, signal })).items;
  const states = pods.map(({ metadata, status }) => {
    const [container] = status?.containerStatuses ?? [];
    const { waiting, terminated } = container?.state ?? {};
    return `${metadata.name}: ${waiting?.message ?? waiting?.reason ?? terminated?.reason ?? status?.phase ?? 'Pending'}`;
  });
  throw new CliError('KW7307', {
    what: `the operator is not available after ${timeoutMs / 1000} s`,
    why: states.join('\n') || 'it has no pods',
    remedy: `kubectl -n ${key.namespace} logs deployment/${key.name}`,
  });
}

/** Nobody can run the image that generated manifests name. */
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
