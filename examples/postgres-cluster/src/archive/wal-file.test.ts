import { describe, expect, it } from 'vitest';
import { parseLsn } from '../lsn.ts';
import { archivedWal, segmentAt, segmentOf } from './wal-file.ts';

const segmentBytes = 16 * 1024 * 1024;

describe('archivedWal', () => {
  it.each([
    ['0000000100000002000000A0', 'wal/0000000100000002/0000000100000002000000A0.gz'],
    ['0000000100000002000000A0.partial', 'wal/0000000100000002/0000000100000002000000A0.partial.gz'],
    ['0000000100000002000000A0.00000028.backup', 'wal/0000000100000002/0000000100000002000000A0.00000028.backup.gz'],
    ['00000002.history', 'wal/00000002.history.gz'],
  ])('stores %s as %s', (name, archived) => {
    expect(archivedWal(name)).toBe(archived);
  });

  it.each(['', 'RECOVERYXLOG', '../0000000100000002000000A0', '0000000100000002000000a0'])('rejects %j', (name) => {
    expect(() => archivedWal(name)).toThrow('not the name of a WAL file');
  });
});

describe('segmentOf', () => {
  it.each([
    ['wal/0000000200000001/000000020000000100000003.gz', { timeline: 2, number: 259n }],
    ['wal/0000000200000001/000000020000000100000003.partial.gz', { timeline: 2, number: 259n }],
    ['wal/0000000200000001/000000020000000100000003.00000028.backup.gz', { timeline: 2, number: 259n }],
    ['wal/00000002.history.gz', undefined],
    ['system.json', undefined],
  ])('parses %s', (name, segment) => {
    expect(segmentOf(name, segmentBytes)).toEqual(segment);
  });

  it('numbers segments of another size', () => {
    expect(segmentOf('000000010000000100000000', 64 * 1024 * 1024)).toEqual({ timeline: 1, number: 64n });
  });
});

describe('segmentAt', () => {
  it.each([
    ['0/0', false, '000000010000000000000000'],
    ['0/1000000', false, '000000010000000000000001'],
    ['0/1000000', true, '000000010000000000000000'],
    ['1/FFFFFFFF', false, '0000000100000001000000FF'],
    ['2/0', true, '0000000100000001000000FF'],
    ['0/0', true, '000000010000000000000000'],
  ])('maps the LSN %s (as an end: %s) to the segment %s', (lsn, isEnd, name) => {
    expect(segmentAt(parseLsn(lsn), { timeline: 1, segmentBytes, isEnd })).toBe(name);
  });

  it.each([
    ['A/FF000000', 2, 16 * 1024 * 1024, '000000020000000A000000FF'],
    ['1/0', 1, 64 * 1024 * 1024, '000000010000000100000000'],
  ])('maps the LSN %s of timeline %i with segments of %i bytes to %s', (lsn, timeline, bytes, name) => {
    expect(segmentAt(parseLsn(lsn), { timeline, segmentBytes: bytes })).toBe(name);
  });
});
