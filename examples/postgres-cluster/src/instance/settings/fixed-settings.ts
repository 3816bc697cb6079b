/**
 * The settings that only the instance manager sets, because fencing, replication, passwords or its own connection depend on them.
 * A cluster that sets one of them is invalid.
 */
const fixedSettings: ReadonlySet<string> = new Set([
  'allow_alter_system',
  'archive_cleanup_command',
  'archive_command',
  'archive_library',
  'archive_mode',
  'cluster_name',
  'config_file',
  'data_directory',
  'external_pid_file',
  'full_page_writes',
  'hba_file',
  'hot_standby',
  'ident_file',
  'include',
  'include_dir',
  'include_if_exists',
  'listen_addresses',
  'log_destination',
  'logging_collector',
  'password_encryption',
  'port',
  'primary_conninfo',
  'primary_slot_name',
  'promote_trigger_file',
  'recovery_end_command',
  'recovery_min_apply_delay',
  'recovery_target',
  'recovery_target_action',
  'recovery_target_inclusive',
  'recovery_target_lsn',
  'recovery_target_name',
  'recovery_target_time',
  'recovery_target_timeline',
  'recovery_target_xid',
  'restart_after_crash',
  'restore_command',
  'ssl',
  'ssl_ca_file',
  'ssl_cert_file',
  'ssl_crl_dir',
  'ssl_crl_file',
  'ssl_key_file',
  'ssl_passphrase_command',
  'summarize_wal',
  'synchronous_standby_names',
  'unix_socket_directories',
  'unix_socket_group',
  'unix_socket_permissions',
  'wal_level',
  'wal_log_hints',
]);

/** Minimum values of settings that a cluster may raise. With lower values, replicas could not connect. */
const minimums: Readonly<Record<string, number>> = { max_replication_slots: 32, max_wal_senders: 32 };

/**
 * The name of a setting of PostgreSQL or of an extension. Other names are rejected, because they could inject lines into the
 * file.
 */
const namePattern = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/;

/** Returns why some parameters are rejected, or undefined if all are allowed. Names are case-insensitive, as in PostgreSQL. */
export function settingsRejectionReason(parameters: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(parameters).sort();
  const lower = names.map((name) => name.toLowerCase());
  const where = (isTrue: (name: string, index: number) => boolean) => names.filter((_, i) => isTrue(lower[i] ?? '', i));
  const invalid = where((name) => !namePattern.test(name)).map((name) => JSON.stringify(name));
  const fixed = where((name) => fixedSettings.has(name));
  const repeated = where((name, i) => lower.indexOf(name) !== i);
  const low = names.filter((name) => isTooLow(name.toLowerCase(), parameters[name] ?? ''));
  const reasons = [
    ...(invalid.length > 0 ? [`not a setting name: ${invalid.join(', ')}`] : []),
    ...(fixed.length > 0 ? [`the operator sets ${fixed.join(', ')} itself`] : []),
    ...repeated.map((name) => `${name} is set more than once`),
    ...low.map((name) => `${name} must be at least ${minimums[name.toLowerCase()]}`),
  ];
  return reasons.length > 0 ? reasons.join('; ') : undefined;
}

/** Returns the parameters that are allowed, with names in lower case. */
export function allowedSettings(parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const lower = Object.entries(parameters).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(
    lower.filter(([name, value]) => namePattern.test(name) && !fixedSettings.has(name) && !isTooLow(name, value)),
  );
}

function isTooLow(name: string, value: string): boolean {
  const minimum = Object.hasOwn(minimums, name) ? minimums[name] : undefined;
  return minimum !== undefined && !(/^\d+$/.test(value) && Number(value) >= minimum);
}
