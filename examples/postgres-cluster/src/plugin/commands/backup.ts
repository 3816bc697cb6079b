import { PostgresBackup, type PostgresBackupSpec } from '../../api/v1/postgres-backup.ts';
import { type Command, type Flags, textFlag } from '../command.ts';
import { findCluster } from '../find-cluster.ts';
import { PluginError } from '../plugin-error.ts';
import { bytes } from '../text/amounts.ts';
import { waitFlags, waitSeconds, waitUntil } from '../wait-until.ts';

export const backup: Command = {
  summary: 'Takes a base backup, and stores it in the archive of the cluster.',
  args: ['CLUSTER'],
  flags: {
    name: { type: 'string', value: 'NAME', text: 'name of the PostgresBackup (default: CLUSTER-TIMESTAMP)' },
    type: { type: 'string', value: 'TYPE', text: 'full (default) or incremental, which needs PostgreSQL 17 or newer' },
    from: { type: 'string', value: 'ROLE', text: 'instance to copy: replica (default) or primary' },
    ...waitFlags,
  },
  async run({ args: [cluster = ''], flags }, session) {
    const seconds = waitSeconds(flags);
    const { spec } = await findCluster(cluster, session);
    if (!spec.backup) throw new PluginError(`the cluster ${cluster} has no archive; set spec.backup first`);
    const { client, namespace, clock, signal } = session;
    const name = textFlag(flags, 'name') ?? backupName(cluster, clock.now());
    const key = { namespace, name };
    const backups = client.resource(PostgresBackup);
    await backups.create(PostgresBackup({ metadata: key, spec: { cluster, ...choices(flags) } }), { signal });
    session.print(`created PostgresBackup ${name}\n`);
    const status = await waitUntil(`PostgresBackup ${name} to complete`, {
      seconds,
      session,
      check: async () => {
        const { status: found } = await backups.get(key, { signal });
        return found?.phase === 'Completed' || found?.phase === 'Failed' ? found : undefined;
      },
    });
    if (status?.phase === 'Failed')
      throw new PluginError(`PostgresBackup ${name} failed: ${status.error ?? 'the status contains no error message'}`);
    if (status) {
      const size = bytes(status.sizeBytes ?? 0);
      session.print(
        `PostgresBackup ${name} completed: copied ${size} from ${status.instance}, stored as ${status.id}\n`,
      );
    }
    return undefined;
  },
};

/** Returns a name that sorts by time. */
export function backupName(cluster: string, nowMs: number): string {
  return `${cluster}-${new Date(nowMs).toISOString().replace(/\D/g, '').slice(0, 14)}`;
}

function choices(flags: Flags): Pick<PostgresBackupSpec, 'type' | 'from'> {
  const [type, from] = [textFlag(flags, 'type') ?? 'full', textFlag(flags, 'from') ?? 'replica'];
  if (type !== 'full' && type !== 'incremental')
    throw new PluginError(`--type must be full or incremental, got ${type}`, { exitCode: 2 });
  if (from !== 'replica' && from !== 'primary')
    throw new PluginError(`--from must be replica or primary, got ${from}`, { exitCode: 2 });
  return { type, from };
}
