import { allowedSettings } from './fixed-settings.ts';

/** The inputs of a server's configuration. */
export interface SettingsInput {
  /** The cluster's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly name: string;
  readonly address: string;
  readonly socketDirectory: string;
  readonly certificates: string;
  /** Replicas that must confirm commits. */
  readonly synchronous: SynchronousStandbys;
  /** Connection to the primary, and the slot there. */
  readonly upstream?: { readonly connection: string; readonly slot: string } | undefined;
  /** Size of the instance's volume, which limits how much WAL is retained. */
  readonly volumeBytes: number;
  /** Minimum values of a standby's settings. */
  readonly floors: Readonly<Record<string, number>>;
  readonly archiveCommand?: string | undefined;
  readonly restoreCommand?: string | undefined;
  /** True to enable WAL summaries, which incremental backups need. */
  readonly summarizesWal?: boolean | undefined;
}

export interface SynchronousStandbys {
  readonly number: number;
  readonly names: readonly string[];
}

/**
 * Defaults that the cluster's parameters override. Includes PostgreSQL's own defaults of settings that a standby may
 * have to raise: removing one of these settings from the file would count as a change that needs a restart.
 */
const defaults: Readonly<Record<string, string>> = {
  archive_timeout: '5min',
  max_connections: '100',
  max_locks_per_transaction: '64',
  max_prepared_transactions: '0',
  max_replication_slots: '32',
  max_wal_senders: '32',
  max_worker_processes: '8',
  tcp_keepalives_count: '3',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  wal_receiver_timeout: '5s',
  wal_sender_timeout: '5s',
};

/** Returns the content of postgresql.conf. */
export function settingsFile(input: SettingsInput): string {
  // Filters again, because the parameters on disk may have been accepted by an older version.
  const settings = {
    ...defaults,
    ...walLimits(input),
    ...pauses(input),
    ...allowedSettings(input.parameters),
    ...fixed(input),
  };
  const raised = Object.entries(input.floors).flatMap(([name, floor]) =>
    Number(settings[name] ?? 0) < floor ? [[name, String(floor)] as const] : [],
  );
  const lines = Object.entries({ ...settings, ...Object.fromEntries(raised) })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name} = ${quoted(value)}`);
  return ['# Written by the instance manager; changes are lost.', ...lines, ''].join('\n');
}

/** Limits the WAL on a small volume: a stopped replica must not fill it. */
function walLimits({ volumeBytes }: SettingsInput): Readonly<Record<string, string>> {
  const share = (part: number, mostMiB: number): string => {
    const mib = Math.floor(volumeBytes / part / 2 ** 20);
    return `${Math.max(64, Math.min(mostMiB, mib))}MB`;
  };
  return {
    max_slot_wal_keep_size: share(4, 4096),
    max_wal_size: share(8, 1024),
    // Retains WAL for pg_rewind, which needs all WAL since the last checkpoint before the fork.
    wal_keep_size: share(16, 512),
  };
}

/**
 * Returns the interval between a standby's attempts to get more WAL. `isAtEnd` detects the end of the WAL by the pause
 * between attempts. There is no pause after an attempt that takes longer than the interval, and a restore command can
 * take a second on a busy machine. A reload ends the pause.
 */
function pauses({ restoreCommand }: SettingsInput): Readonly<Record<string, string>> {
  return { wal_retrieve_retry_interval: restoreCommand === undefined ? '500ms' : '5s' };
}

function fixed(input: SettingsInput): Readonly<Record<string, string>> {
  const { certificates, upstream } = input;
  return {
    // Standbys archive the WAL that they receive, too, in case the primary fails before it does.
    archive_mode: 'always',
    // Without an archive, every segment counts as archived.
    archive_command: input.archiveCommand ?? '/bin/true',
    cluster_name: input.name,
    full_page_writes: 'on',
    hot_standby: 'on',
    listen_addresses: input.address,
    log_destination: 'stderr',
    logging_collector: 'off',
    password_encryption: 'scram-sha-256',
    port: '5432',
    primary_conninfo: upstream?.connection ?? '',
    primary_slot_name: upstream?.slot ?? '',
    recovery_target_timeline: 'latest',
    restart_after_crash: 'on',
    ...(input.restoreCommand !== undefined && { restore_command: input.restoreCommand }),
    ...(input.summarizesWal && { summarize_wal: 'on' }),
    ssl: 'on',
    ssl_ca_file: `${certificates}/ca.crt`,
    ssl_cert_file: `${certificates}/server.crt`,
    ssl_key_file: `${certificates}/server.key`,
    synchronous_standby_names: synchronousStandbyNames(input.synchronous),
    unix_socket_directories: input.socketDirectory,
    wal_level: 'logical',
    wal_log_hints: 'on',
  };
}

/** Returns, for example, `ANY 1 ("shop-2", "shop-3")`, or an empty string if no replica has to confirm. */
export function synchronousStandbyNames({ number, names }: SynchronousStandbys): string {
  if (number === 0) return '';
  // Without any replica, lists a name that no replica has, so that commits wait.
  const listed = names.length > 0 ? names : ['no-replica'];
  return `ANY ${number} (${listed.map((name) => `"${name}"`).join(', ')})`;
}

/** Prefix of the slots of instances. All other slots belong to users. */
export const slotPrefix = 'kubewright_';

/** Returns the name of an instance's slot. Slot names must not contain `-` or `.`. */
export function slotOf(instance: string): string {
  return `${slotPrefix}${instance.replaceAll(/[-.]/g, '_')}`;
}

/** Quotes a value for postgresql.conf. */
export function quoted(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\n', '\\n')}'`;
}
