import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { readObjects } from '../render/kustomize.ts';
import { applyObjects, deleteObjects } from './apply-objects.ts';
import { Attendant } from './attendant.ts';
import { type ClusterFlags, connect } from './connect.ts';
import { operatorPresence } from './operator-presence.ts';
import { removeObjects } from './remove-objects.ts';

/** Returns the generated CRDs of a project. @throws CliError KW7402 if no CRD exists */
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

/** Flags of `uninstall`. */
export interface UninstallOptions extends ClusterFlags {
  /** Removes the operator's finalizers without its cleanup if the operator is not running. */
  readonly yes?: boolean;
  /** Removes every finalizer, no matter who handles it. */
  readonly force?: boolean;
}

/** Removes the kinds of a project and their objects. The objects go first, while the operator can clean up after them. */
export async function uninstall(context: Context, options: UninstallOptions): Promise<void> {
  const { surroundings, reporter } = context;
  const project = requireProject(surroundings.cwd);
  const crds = crdsOf(project);
  await using connection = await connect(surroundings, options);
  reporter.step('cluster', connection.server);
  const target = { client: connection.client, surroundings };
  const operator = await operatorPresence(target, project);
  const release = options.force ? 'all' : options.yes ? 'own' : 'ask';
  const flags = options.context === undefined ? [] : [`--context=${options.context}`];
  await using attendant = new Attendant({ context, project, flags, kubeconfig: connection.kubeconfig });
  for (const crd of crds) {
    const count = await removeObjects(crd, { context, target, project, operator, release, attendant });
    if (count > 0) reporter.step('objects deleted', `${count} of ${crd.metadata?.name}`);
  }
  const removed = await deleteObjects(target, crds);
  reporter.step('kinds removed', `${removed} of ${crds.length}`);
}
