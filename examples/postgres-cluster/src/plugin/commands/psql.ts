import type { Stored } from '@kubewright/apimachinery';
import type { PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import type { Command } from '../command.ts';
import { findCluster } from '../find-cluster.ts';
import { PluginError } from '../plugin-error.ts';

export const psql: Command = {
  summary: 'Runs psql on the primary as the superuser. Arguments after -- are passed to psql.',
  args: ['CLUSTER'],
  flags: { replica: { type: 'boolean', text: 'connect to a replica instead' } },
  async run({ args: [name = ''], flags, rest }, session) {
    const cluster = await findCluster(name, session);
    const instance = instanceFor(cluster, flags['replica'] === true);
    const database = cluster.spec.database?.name ?? 'postgres';
    const terminal = process.stdin.isTTY && process.stdout.isTTY ? ['-i', '-t'] : ['-i'];
    const command = ['env', `PGDATABASE=${database}`, 'psql', '-U', 'postgres', ...rest];
    return session.kubectl(['exec', ...terminal, instance, '-c', 'postgresql', '--', ...command]);
  },
};

/** Returns the instance to connect to. @throws PluginError if no instance is ready */
function instanceFor({ metadata, status = {} }: Stored<PostgresCluster>, isReplica: boolean): string {
  const role = isReplica ? 'replica' : 'primary';
  const found = status.instanceStatuses?.find((each) => each.role === role && each.ready === true);
  if (found) return found.name;
  const phase = status.phase === undefined ? '' : `; the phase of the cluster is "${status.phase}"`;
  throw new PluginError(`the cluster ${metadata.name} has no ${role} that accepts connections${phase}`);
}
