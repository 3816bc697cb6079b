import type { Context } from '../program/context.ts';
import { requireProject } from '../project/find-project.ts';
import { installObjects, lacksImage, noImage } from '../render/install-objects.ts';
import { applyObjects } from '../target/apply-objects.ts';
import { type ClusterFlags, connect } from '../target/connect.ts';
import { awaitWebhooks } from '../target/webhook-readiness.ts';
import { withOwnAddresses } from './own-addresses.ts';
import { rolledOut } from './rollout.ts';
import { removeStaleWebhooks } from './stale-webhooks.ts';

/** Flags of `deploy`. */
export interface DeployOptions extends ClusterFlags {
  readonly image?: string | undefined;
  /** In seconds. */
  readonly timeout: number;
}

/** Deploys the operator and waits until it is available. */
export async function deploy(context: Context, options: DeployOptions): Promise<void> {
  const { environment, reporter } = context;
  const project = requireProject(environment.cwd);
  const objects = installObjects(project, options);
  if (options.image === undefined && lacksImage(objects))
    throw noImage(project, { what: 'cannot deploy the operator', command: 'deploy' });
  await using connection = await connect(environment, options);
  reporter.step('cluster', connection.server);
  const target = { client: connection.client, environment };
  const { signal } = environment;
  await applyObjects(target, await withOwnAddresses(connection.client, { objects, signal }));
  reporter.step('applied', `${objects.length} objects`);
  for (const name of await removeStaleWebhooks(target, { project, objects })) reporter.step('webhooks removed', name);
  const timeoutMs = options.timeout * 1000;
  await rolledOut(target, { project, timeoutMs });
  const called = await awaitWebhooks(target, { objects, timeoutMs });
  if (called > 0) reporter.step('webhooks reachable', called === 1 ? '1 configuration' : `${called} configurations`);
  reporter.step('operator available', `${project.name}-controller-manager in ${project.name}-system`);
}
