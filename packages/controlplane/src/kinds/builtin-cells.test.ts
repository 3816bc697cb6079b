import { readFileSync } from 'node:fs';
import { type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { humanDuration } from '@kubewright/apiserver/internal';
import { describe, expect, it } from 'vitest';
import { builtinDefinitions } from './builtin-definitions.ts';

interface RecordedRow {
  readonly resource: string;
  readonly apiVersion: string;
  readonly now: number;
  readonly object: KubernetesObject;
  readonly cells: readonly unknown[];
}

const file = new URL('testdata/tables.jsonl', import.meta.url);
const rows = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedRow);
const definitions = builtinDefinitions({ clock: new VirtualClock(), random: seededRandom(1) });

describe('builtin cells', () => {
  it.each(rows.map((row) => ({ ...row, name: row.object.metadata.name })))(
    'shows $resource $name as the real API server does',
    ({ resource, apiVersion, object, now, cells }) => {
      const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
      const definition = definitions.find((d) => d.group === group && d.version === version && d.resource === resource);
      const made = definition?.cells(object, now) ?? [];
      expect(made.map(withoutSeconds)).toEqual(cells.map(withoutSeconds));
    },
  );

  it('covers at least 25 kinds', () => {
    expect(new Set(rows.map(({ resource }) => resource)).size).toBeGreaterThan(25);
  });
});

/** Masks seconds, because time passed between the server's response and its recording. */
function withoutSeconds(cell: unknown): unknown {
  return typeof cell === 'string' ? cell.replace(/\b\d+s$/, '#s').replace(/\b\d+s ago/, '#s ago') : cell;
}

describe('humanDuration', () => {
  const second = 1000;
  const minute = 60 * second;
  const hour = 60 * minute;
  const day = 24 * hour;
  it.each([
    [-2 * second, '<invalid>'],
    [-1 * second, '0s'],
    [0, '0s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [9 * minute + 59 * second, '9m59s'],
    [10 * minute + 5 * second, '10m'],
    [179 * minute, '179m'],
    [3 * hour, '3h'],
    [3 * hour + 12 * minute, '3h12m'],
    [8 * hour + 12 * minute, '8h'],
    [47 * hour, '47h'],
    [2 * day + 3 * hour, '2d3h'],
    [8 * day + 3 * hour, '8d'],
    [729 * day, '729d'],
    [2 * 365 * day + 3 * day, '2y3d'],
    [8 * 365 * day + 3 * day, '8y'],
  ])('formats %d ms as %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});
