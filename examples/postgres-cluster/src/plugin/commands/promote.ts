import { PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import { forcedPrimaryAnnotation, primaryAnnotation } from '../../controllers/observe-cluster.ts';
import type { Command } from '../command.ts';
import { checkInstance, findCluster, readiness } from '../find-cluster.ts';
import { PluginError } from '../plugin-error.ts';
import { waitFlags, waitSeconds, waitUntil } from '../wait-until.ts';

export const promote: Command = {
  summary: 'Switches over: stops the primary, and promotes INSTANCE once it has all WAL.',
  args: ['CLUSTER', 'INSTANCE'],
  flags: {
    ...waitFlags,
    force: {
      type: 'boolean',
      text: 'if the primary is unavailable, promote INSTANCE even if acknowledged commits are lost',
    },
  },
  async run({ args: [name = '', instance = ''], flags }, session) {
    const seconds = waitSeconds(flags);
    const cluster = await findCluster(name, session);
    checkInstance(cluster, instance);
    if (cluster.status?.currentPrimary === instance) {
      session.print(`${instance} is already the primary of ${name}\n`);
      return undefined;
    }
    if (cluster.spec.paused) throw new PluginError(`the cluster ${name} is paused; set spec.paused to false first`);
    const { client, namespace, signal } = session;
    const key = { namespace, name };
    const annotation = flags['force'] === true ? forcedPrimaryAnnotation : primaryAnnotation;
    const body = { metadata: { annotations: { [annotation]: instance } } };
    await client.resource(PostgresCluster).patch(key, { type: 'merge', body }, { signal });
    session.print(`requested the promotion of ${instance} to primary of ${name}\n`);
    const promoted = await waitUntil(`${instance} to become the primary of ${name}`, {
      seconds,
      session,
      check: async () => {
        const { status } = await findCluster(name, session);
        return status?.currentPrimary === instance || undefined;
      },
      obstacle: async () => readiness(await findCluster(name, session))?.message,
    });
    if (promoted) session.print(`${instance} is the primary of ${name}\n`);
    return undefined;
  },
};
