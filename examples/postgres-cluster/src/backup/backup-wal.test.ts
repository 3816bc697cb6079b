import { expect, it } from 'vitest';
import { segmentsOf } from './backup-wal.ts';

const segmentBytes = 16 * 1024 * 1024;

it.each([
  ['one segment', [range(1, '0/2000028', '0/2000100')], ['000000010000000000000002']],
  ['an end at the boundary of a segment', [range(1, '0/2000028', '0/3000000')], ['000000010000000000000002']],
  ['two segments', [range(1, '1/FF000028', '2/100')], ['0000000100000001000000FF', '000000010000000200000000']],
  [
    'the end of a timeline within a segment',
    [range(1, '0/2000028', '0/3000100'), range(2, '0/3000100', '0/3000200')],
    ['000000010000000000000002', '000000020000000000000003'],
  ],
  [
    'the end of a timeline at the boundary of a segment',
    [range(1, '0/2000028', '0/3000000'), range(2, '0/3000000', '0/3000200')],
    ['000000010000000000000002', '000000020000000000000003'],
  ],
])('a backup needs the WAL of %s', (_, ranges, segments) => {
  expect(segmentsOf(ranges, segmentBytes)).toEqual(segments.map((name) => `wal/${name.slice(0, 16)}/${name}.gz`));
});

function range(timeline: number, beginLSN: string, endLSN: string) {
  return { timeline, beginLSN, endLSN };
}
