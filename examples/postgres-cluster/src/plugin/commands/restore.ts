import { PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import { type Command, textFlag } from '../command.ts';
import { findCluster, readiness } from '../find-cluster.ts';
import { PluginError } from '../plugin-error.ts';
import { recoveryTarget, targetFlags } from '../recovery-target.ts';
import { restoredCluster } from '../restored-cluster.ts';
import { waitFlags, waitSeconds, waitUntil } from '../wait-until.ts';

export const restore: Command = {
  summary: 'Creates NEW-CLUSTER from the archive of CLUSTER, and leaves CLUSTER unchanged.',
  args: ['CLUSTER', 'NEW-CLUSTER'],
  flags: {
    ...targetFlags,
    backup: {
      type: 'string',
      value: 'NAME',
      text: 'PostgresBackup to restore (default: the newest one that ends before the target)',
    },
    instances: { type: 'string', value: 'COUNT', text: 'number of instances (default: the same as CLUSTER)' },
    ...waitFlags,
  },
  async run({ args: [from = '', name = ''], flags }, session) {
    const seconds = waitSeconds(flags);
    const target = recoveryTarget(flags);
    const backup = textFlag(flags, 'backup');
    const count = textFlag(flags, 'instances');
    if (count !== undefined && !/^[1-9]$/.test(count))
      throw new PluginError(`--instances must be a number from 1 to 9, got ${count}`, { exitCode: 2 });
    const instances = count === undefined ? undefined : Number(count);
    const cluster = restoredCluster(await findCluster(from, session), { name, backup, target, instances });
    const { client, signal } = session;
    await client.resource(PostgresCluster).create(cluster, { signal });
    session.print(`created the cluster ${name}; restoring it from the archive of ${from}\n`);
    const ready = await waitUntil(`the cluster ${name} to be restored`, {
      seconds,
      session,
      check: async () => {
        const restored = await findCluster(name, session);
        return readiness(restored)?.status === 'True' ? restored.status : undefined;
      },
      obstacle: async () => readiness(await findCluster(name, session))?.message,
    });
    if (ready) session.print(`the cluster ${name} is ready; its primary is ${ready.currentPrimary}\n`);
    return undefined;
  },
};
