import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseControlData } from './control-data.ts';

const output = readFileSync(new URL('testdata/pg_controldata.txt', import.meta.url), 'utf8');

describe('parseControlData', () => {
  it('parses the output of PostgreSQL 15', () => {
    expect(parseControlData(output)).toEqual({
      systemID: '7711193292405983632',
      timeline: 1,
      state: 'shut down',
      checkpointLSN: '0/17414F8',
      segmentBytes: 16_777_216,
      floors: {
        max_connections: 100,
        max_worker_processes: 8,
        max_wal_senders: 10,
        max_prepared_transactions: 0,
        max_locks_per_transaction: 64,
      },
    });
  });

  it('returns the new timeline after a promotion without a checkpoint', () => {
    const promoted = output.replace(/(Min recovery ending loc's timeline:\s+)0/, '$12');
    expect(parseControlData(promoted).timeline).toBe(2);
  });

  it('rejects other output', () => {
    expect(() => parseControlData('pg_controldata: fatal')).toThrow('no "Database system identifier"');
  });
});
