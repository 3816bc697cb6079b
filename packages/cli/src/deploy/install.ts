import type { Context } from '../program/context.ts';
import { requireProject } from '../project/find-project.ts';
import { crdsOf } from '../render/install-objects.ts';
import { applyObjects } from '../target/apply-objects.ts';
import { type ClusterFlags, connect } from '../target/connect.ts';

/** Installs the kinds of a project. */
export async function install(context: Context, flags: ClusterFlags): Promise<void> {
  const { environment, reporter } = context;
  const crds = crdsOf(requireProject(environment.cwd));
  await using connection = await connect(environment, flags);
  reporter.step('cluster', connection.server);
  await applyObjects({ client: connection.client, environment }, crds);
  for (const { metadata } of crds) reporter.step('kind installed', metadata?.name ?? '');
}
