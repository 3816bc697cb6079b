import { describe, expect, it } from 'vitest';
import type { ArchivedBackup } from './archived-backup.ts';
import { backupChain, type WantedBackup } from './backup-chain.ts';

/** Backups at 01:00, 02:00 and so on, each of which ends at LSN HOUR/0. */
const backups = [
  backup({ id: '01', type: 'full' }),
  backup({ id: '02', type: 'incremental', parent: '01' }),
  backup({ id: '03', type: 'incremental', parent: '02' }),
  backup({ id: '04', type: 'full' }),
];

describe('backupChain', () => {
  const rows: readonly (readonly [string, WantedBackup, readonly string[]])[] = [
    ['the newest backup by default', {}, ['04']],
    ['the newest backup for a restore point, whose position is unknown', { target: { name: 'x' } }, ['04']],
    ['the newest backup that ends before a time', { target: { time: '2026-01-01T03:59:59Z' } }, ['01', '02', '03']],
    ['a backup that ends exactly at the time', { target: { time: '2026-01-01T02:00:00+00:00' } }, ['01', '02']],
    ['the newest backup that ends before an LSN', { target: { lsn: '1/FF' } }, ['01']],
    ['a backup by its name', { backup: 'nightly-02' }, ['01', '02']],
    ['a backup by its ID', { backup: '03', target: { immediate: true } }, ['01', '02', '03']],
  ];
  it.each(rows)('chooses %s', (_, wanted, ids) => {
    expect(backupChain(backups, wanted).map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['an empty archive', [], {}, 'the archive contains no complete backup'],
    ['an unknown backup', backups, { backup: 'x' }, 'the archive contains no backup x'],
    [
      'a target before all backups',
      backups,
      { target: { time: '2025-12-31T00:00:00Z' } },
      'no backup ends before the target; the earliest backup ends at 2026-01-01T01:00:00Z, 1/0',
    ],
    [
      'a target before the backup',
      backups,
      { backup: '04', target: { lsn: '3/0' } },
      'no backup ends before the target; the earliest backup ends at 2026-01-01T04:00:00Z, 4/0',
    ],
    ['a missing parent', backups.slice(1), { backup: '03' }, 'backup 02 is based on 01, which is missing'],
  ])('rejects %s', (_, archived, wanted, message) => {
    expect(() => backupChain(archived, wanted)).toThrow(message);
  });
});

function backup(part: Pick<ArchivedBackup, 'id' | 'type' | 'parent'>): ArchivedBackup {
  const time = `2026-01-01T${part.id}:00:00Z`;
  return {
    ...part,
    name: `nightly-${part.id}`,
    uid: part.id,
    systemID: '1',
    serverVersion: 180_000,
    segmentBytes: 16 * 1024 * 1024,
    timeline: 1,
    beginLSN: `${Number(part.id)}/0`,
    endLSN: `${Number(part.id)}/0`,
    beginWAL: '',
    endWAL: '',
    startedAt: time,
    stoppedAt: time,
    sizeBytes: 1,
  };
}
