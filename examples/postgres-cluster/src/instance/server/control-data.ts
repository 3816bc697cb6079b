/** The fields of pg_control that decisions need. */
export interface ControlData {
  readonly systemID: string;
  /** Newest timeline in pg_control. A promotion's new timeline is missing until the next checkpoint. */
  readonly timeline: number;
  /** For example `shut down`, `in production`, `in archive recovery`. */
  readonly state: string;
  readonly checkpointLSN: string;
  /** Size of a WAL segment. */
  readonly segmentBytes: number;
  /** Minimum values of a standby's settings: the values of its primary. */
  readonly floors: Readonly<Record<string, number>>;
}

const floorNames: readonly (readonly [setting: string, field: string])[] = [
  ['max_connections', 'max_connections setting'],
  ['max_worker_processes', 'max_worker_processes setting'],
  ['max_wal_senders', 'max_wal_senders setting'],
  ['max_prepared_transactions', 'max_prepared_xacts setting'],
  ['max_locks_per_transaction', 'max_locks_per_xact setting'],
];

/** Parses the output of pg_controldata in the C locale. */
export function parseControlData(output: string): ControlData {
  const fields = new Map<string, string>();
  for (const line of output.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const field = (name: string): string => {
    const value = fields.get(name);
    if (value === undefined) throw new Error(`cannot read pg_control: no "${name}" in the output of pg_controldata`);
    return value;
  };
  return {
    systemID: field('Database system identifier'),
    timeline: Math.max(
      Number(field("Latest checkpoint's TimeLineID")),
      Number(field("Min recovery ending loc's timeline")),
    ),
    state: field('Database cluster state'),
    checkpointLSN: field('Latest checkpoint location'),
    segmentBytes: Number(field('Bytes per WAL segment')),
    floors: Object.fromEntries(floorNames.map(([setting, name]) => [setting, Number(field(name))])),
  };
}
