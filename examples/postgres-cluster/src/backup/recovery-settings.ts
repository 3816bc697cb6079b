import type { RecoveryTarget } from '../api/v1/postgres-cluster.ts';

/**
 * Returns the settings with which a restored server replays WAL up to a target, and then accepts writes on a new timeline.
 *
 * @param restoreCommand - see `restoreCommand` for the purpose `recovery`
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

/** The server reads this setting before it knows time zones, so it accepts offsets only, and no `T`. */
function timeOf(time: string): string {
  return time.replace(/[Tt]/, ' ').replace(/[Zz]$/, '+00');
}
