import { describe, expect, it } from 'vitest';
import { archivedWal } from '../archive/wal-file.ts';
import type { ArchivedBackup } from './archived-backup.ts';
import { expired } from './retention.ts';

const segmentBytes = 16 * 1024 * 1024;

describe('expired', () => {
  const wal = (timeline: number, number: number, suffix = '') =>
    archivedWal(`0000000${timeline}00000000000000${number.toString(16).toUpperCase().padStart(2, '0')}${suffix}`);
  const decide = (backups: readonly ArchivedBackup[], { names, keep }: { names: readonly string[]; keep: number }) =>
    expired(backups, { files: names.map((name) => ({ name, sizeBytes: 1 })), keep });

  it('keeps the newest backups, and all WAL since the start of the oldest of them', () => {
    const backups = [backup({ id: 'a', begin: 2 }), backup({ id: 'b', begin: 5 }), backup({ id: 'c', begin: 9 })];
    const names = [1, 2, 4, 5, 6, 9, 10].map((number) => wal(1, number));
    expect(decide(backups, { names, keep: 2 })).toEqual({
      backups: ['a'],
      incomplete: [],
      wal: [wal(1, 1), wal(1, 2), wal(1, 4)],
    });
    expect(decide(backups, { names, keep: 3 })).toEqual({ backups: [], incomplete: [], wal: [wal(1, 1)] });
  });

  it('keeps the backups that a kept incremental backup is based on, with their WAL', () => {
    const backups = [
      backup({ id: 'a', begin: 1 }),
      backup({ id: 'b', begin: 3 }),
      backup({ id: 'c', begin: 5, parent: 'b' }),
      backup({ id: 'd', begin: 7, parent: 'c' }),
    ];
    const names = [1, 2, 3, 4].map((number) => wal(1, number));
    expect(decide(backups, { names, keep: 1 })).toEqual({
      backups: ['a'],
      incomplete: [],
      wal: [wal(1, 1), wal(1, 2)],
    });
  });

  it('does not count an incremental backup whose full backup is missing', () => {
    const backups = [backup({ id: 'b', begin: 3 }), backup({ id: 'c', begin: 5, parent: 'a' })];
    expect(decide(backups, { names: [wal(1, 3)], keep: 1 })).toEqual({ backups: ['c'], incomplete: [], wal: [] });
    expect(decide(backups.slice(1), { names: [wal(1, 3)], keep: 1 }).backups).toEqual([]);
  });

  it('deletes an incremental backup before the backup that it is based on', () => {
    const backups = [
      backup({ id: 'a', begin: 1 }),
      backup({ id: 'b', begin: 3, parent: 'a' }),
      backup({ id: 'c', begin: 5 }),
    ];
    expect(decide(backups, { names: [], keep: 1 }).backups).toEqual(['b', 'a']);
  });

  it('deletes old WAL of all timelines, including partial segments and backup history files, but keeps timeline histories', () => {
    const old = [wal(1, 4, '.00000028.backup'), wal(1, 4, '.partial'), wal(2, 4)];
    const names = [...old, archivedWal('00000002.history'), 'system.json', wal(2, 5)];
    expect(decide([backup({ id: 'a', begin: 5 })], { names, keep: 1 }).wal).toEqual(old);
  });

  it('keeps the WAL of a newer backup that begins at an earlier LSN, as after a point-in-time restore', () => {
    const backups = [backup({ id: 'a', begin: 9 }), backup({ id: 'b', begin: 3 })];
    const names = [2, 3, 9].map((number) => wal(1, number));
    expect(decide(backups, { names, keep: 2 }).wal).toEqual([wal(1, 2)]);
  });

  it('deletes the files of interrupted backups, but not of a backup that may still be running', () => {
    const names = ['base/a/data.tar.gz', 'base/b/data.tar.gz', 'base/c/data.tar.gz'];
    expect(decide([backup({ id: 'b', begin: 5 })], { names, keep: 1 }).incomplete).toEqual(['a']);
  });

  it('keeps everything if there is no complete backup', () => {
    const names = [wal(1, 1), 'base/a/data.tar.gz'];
    expect(decide([], { names, keep: 1 })).toEqual({ backups: [], incomplete: [], wal: [] });
  });
});

function backup({ id, begin, parent }: { id: string; begin: number; parent?: string }): ArchivedBackup {
  return {
    id,
    type: parent === undefined ? 'full' : 'incremental',
    ...(parent !== undefined && { parent }),
    name: id,
    uid: id,
    systemID: '1',
    serverVersion: 180_000,
    segmentBytes,
    timeline: 1,
    beginLSN: `0/${(begin * segmentBytes + 40).toString(16).toUpperCase()}`,
    endLSN: '',
    beginWAL: '',
    endWAL: '',
    startedAt: '',
    stoppedAt: '',
    sizeBytes: 1,
  };
}
