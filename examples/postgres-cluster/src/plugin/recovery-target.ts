import type { RecoveryTarget } from '../api/v1/postgres-cluster.ts';
import { type Flag, type Flags, textFlag } from './command.ts';
import { PluginError } from './plugin-error.ts';

export const targetFlags: Readonly<Record<string, Flag>> = {
  time: { type: 'string', value: 'TIME', text: 'restore up to a time, such as 2026-11-23T15:04:05Z' },
  lsn: { type: 'string', value: 'LSN', text: 'restore up to an LSN, such as 0/5000060' },
  'restore-point': {
    type: 'string',
    value: 'NAME',
    text: 'restore up to a restore point created with pg_create_restore_point',
  },
  immediate: { type: 'boolean', text: 'stop as soon as the backup is consistent' },
  exclusive: { type: 'boolean', text: 'stop just before the time or LSN instead of just after it' },
};

/** Returns the recovery target that the flags describe. @throws PluginError if the flags are invalid or contradict each other */
export function recoveryTarget(flags: Flags): RecoveryTarget {
  const [time, lsn, name] = ['time', 'lsn', 'restore-point'].map((flag) => textFlag(flags, flag));
  const immediate = flags['immediate'] === true;
  const exclusive = flags['exclusive'] === true;
  if ([time, lsn, name, immediate || undefined].filter((each) => each !== undefined).length > 1) {
    throw invalid('set only one of --time, --lsn, --restore-point and --immediate');
  }
  if (exclusive && time === undefined && lsn === undefined) throw invalid('--exclusive requires --time or --lsn');
  if (lsn !== undefined && !/^[0-9A-F]+\/[0-9A-F]+$/i.test(lsn))
    throw invalid(`--lsn must be an LSN such as 0/5000060, got ${lsn}`);
  return {
    ...(time !== undefined && { time: instant(time) }),
    ...(lsn !== undefined && { lsn: lsn.toUpperCase() }),
    ...(name !== undefined && { name }),
    ...(immediate && { immediate }),
    ...(exclusive && { exclusive }),
  };
}

/**
 * Converts a time with a zone to RFC 3339. Accepts PostgreSQL's output format, too. Rejects times without a zone, because their
 * meaning depends on the machine.
 */
function instant(text: string): string {
  const [, date, time, zone] =
    /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d(?:\.\d+)?)([Zz]|[+-]\d\d(?::?\d\d)?)$/.exec(text) ?? [];
  const offset = zone?.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
  const found = `${date}T${time}${offset?.toUpperCase()}`;
  if (Number.isNaN(Date.parse(found)))
    throw invalid(`--time must have a date, a time and a zone, such as 2026-11-23T15:04:05Z, got ${text}`);
  return found;
}

function invalid(message: string): PluginError {
  return new PluginError(message, { exitCode: 2 });
}
