import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { readObjects } from '../render/kustomize.ts';
import { applyObjects, deleteObjects, isUnknownKind, kindOf, type Target } from './apply-objects.ts';
import { type ClusterFlags, connect } from './connect.ts';
import { isConverted } from './webhook-readiness.ts';

/** How long objects may take to go, in milliseconds. */
const goneMs = 20_000;
const pollMs = 200;

/** The CRDs of a project, as they were generated. @throws CliError KW7402 if there are none */
export function crdsOf({ root }: Pick<Project, 'root'>): readonly UnstructuredObject[] {
  const folder = join(root, 'config', 'crd', 'bases');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)) : [];
  if (files.length > 0) return files.sort().flatMap((name) => readObjects(join(folder, name)));
  throw new CliError('KW7402', {
    what: 'there is no kind to install',
    why: `${folder} holds no CRD`,
    remedy: 'kubewright generate makes them from the types',
  });
}

/** Installs the kinds of a project. */
export async function install(context: Context, flags: ClusterFlags): Promise<void> {
  const { surroundings, reporter } = context;
  const crds = crdsOf(requireProject(surroundings.cwd));
  await using connection = await connect(surroundings, flags);
  reporter.step('cluster', connection.server);
  await applyObjects({ client: connection.client, surroundings }, crds);
  for (const { metadata } of crds) reporter.step('kind installed', metadata?.name ?? '');
}

/** Removes the kinds of a project and their objects: objects first, while the operator can clean up after them. */
export async function uninstall(context: Context, flags: ClusterFlags & { readonly force?: boolean }): Promise<void> {
  const { surroundings, reporter } = context;
  const crds = crdsOf(requireProject(surroundings.cwd));
  await using connection = await connect(surroundings, flags);
  reporter.step('cluster', connection.server);
  const target = { client: connection.client, surroundings };
  for (const crd of crds) {
    const count = await removeObjects(target, { crd, force: flags.force ?? false });
    if (count > 0) reporter.step('objects deleted', `${count} of ${crd.metadata?.name}`);
  }
  const removed = await deleteObjects(target, crds);
  reporter.step('kinds removed', `${removed} of ${crds.length}`);
}

interface Removal {
  readonly crd: UnstructuredObject;
  /** Takes finalizers away that nobody honours any more. */
  readonly force: boolean;
}

async function removeObjects({ client, surroundings }: Target, { crd, force }: Removal): Promise<number> {
  const { clock, signal } = surroundings;
  const kind = await servedKind(client, crd);
  if (!kind) return 0;
  const resource = client.resource(kind);
  const all = async () => (await resource.list({ signal })).items;
  const objects = await all().catch(async (error: unknown) => {
    if (!isConverted(crd)) throw error;
    // Whoever would convert what is stored in an older version has gone; for a deletion it is good as it is.
    await convertNoMore({ client, surroundings }, crd);
    return all();
  });
  for (const { metadata } of objects) await resource.delete(keyOf(metadata), { signal }).catch(ignoreGone);
  let left = objects;
  for (const end = clock.monotonic() + (force ? 2_000 : goneMs); left.length > 0 && clock.monotonic() < end; ) {
    left = await all();
    if (left.length > 0) await sleep(clock, { ms: pollMs, signal });
  }
  if (left.length === 0) return objects.length;
  if (!force) throw stuck(crd, left);
  for (const { metadata } of left) {
    const body = { metadata: { finalizers: null } };
    await resource.patch(keyOf(metadata), { type: 'merge', body }, { signal }).catch(ignoreGone);
  }
  return objects.length;
}

async function convertNoMore({ client, surroundings }: Target, { metadata }: UnstructuredObject): Promise<void> {
  const body = { spec: { conversion: { strategy: 'None', webhook: null } } };
  const key = { name: metadata?.name ?? '' };
  await client.resource(CustomResourceDefinition).patch(key, { type: 'merge', body }, { signal: surroundings.signal });
}

type Metadata = UnstructuredObject['metadata'];

function keyOf(metadata: Metadata): { readonly name: string; readonly namespace?: string } {
  const { name = '', namespace } = metadata ?? {};
  return { name, ...(namespace !== undefined && { namespace }) };
}

function ignoreGone(error: unknown): void {
  // Somebody else was faster.
  if ((error as { readonly httpStatus?: number } | null)?.httpStatus !== 404) throw error;
}

async function servedKind(
  client: Target['client'],
  crd: UnstructuredObject,
): Promise<Awaited<ReturnType<typeof kindOf>> | undefined> {
  const { group, names, versions } = crd['spec'] as {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
  const version = versions.find(({ storage }) => storage)?.name ?? '';
  try {
    return await kindOf(client, { apiVersion: `${group}/${version}`, kind: names.kind, metadata: {} });
  } catch (error) {
    // Not installed: nothing to remove.
    if (isUnknownKind(error)) return undefined;
    throw error;
  }
}

function stuck(crd: UnstructuredObject, left: readonly UnstructuredObject[]): CliError {
  const names = left.slice(0, 5).map(({ metadata }) => {
    const { name, namespace, finalizers = [] } = metadata ?? {};
    return `${namespace === undefined ? '' : `${namespace}/`}${name}: ${finalizers.join(', ')}`;
  });
  return new CliError('KW7307', {
    what: `${left.length} objects of ${crd.metadata?.name} do not go`,
    why: `finalizers hold them, and no operator honours these:\n${names.join('\n')}`,
    remedy: 'deploy the operator and try again, or give up its cleanup: kubewright uninstall --force',
  });
}
