import type { RecoveryTarget } from '../api/v1/postgres-cluster.ts';

/**
 * Returns the settings that make a restored server replay WAL up to a target, and then accept writes on a new timeline.
 *
 * @param restoreCommand - the result of `restoreCommand` for the purpose `recovery`
 */
export function recoverySettings(
  { time, lsn, name, immediate, exclusive = false }: RecoveryTarget,
  { restoreCommand }: { readonly restoreCommand: string },
): Readonly<Record<string, string>> {
  const target = {
    ...(time !== undefined && { recovery_target_time: timeOf(time) }),
    ...(lsn !== undefined && { recovery_target_lsn: lsn }),
    ...(name !== undefined && { recovery_target_name: name }),
    ...(immediate === true && { recovery_target: 'immediate' }),
  };
  return {
    restore_command: restoreCommand,
    recovery_target_timeline: 'latest',
    recovery_target_action: 'promote',
    recovery_target_inclusive: exclusive ? 'off' : 'on',
    ...target,
  };
}

/**
 * Converts an RFC 3339 time for `recovery_target_time`, which accepts no `T` and no zone names such as `Z`: the server parses it
 * before it loads time zones.
 */
function timeOf(time: string): string {
  return time.replace(/[Tt]/, ' ').replace(/[Zz]$/, '+00');
}
