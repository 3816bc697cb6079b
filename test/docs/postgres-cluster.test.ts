import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';
import { page, tableRows } from './pages.ts';

const folder = 'docs/examples';
const found = page(`${folder}/postgres-cluster.md`);
const section = (title: string) => {
  const [, text = ''] = new RegExp(`^## ${title}\\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(found.text) ?? [];
  return tableRows({ ...found, text });
};

/** Features of the operator, in words that a row of the first table must contain. */
const features = [
  'checksums',
  'replicas with slots',
  'scale',
  'single writer: Lease, self-fencing',
  'failover to the most advanced replica',
  'switchover',
  'pg_rewind, or by a new clone',
  'synchronous replication',
  'Services that follow roles',
  'settings: reload or restart',
  'invalid ones are rejected',
  'WAL archive and base backups in a directory or bucket',
  'full and incremental',
  'time zone',
  'retention; verification',
  'restore to a time, position, name',
  'restore drill',
  'minor upgrades',
  'major upgrades by pg_upgrade',
  'larger volumes',
  'full disk',
  'own authority, certificates with renewal; SCRAM; client certificates',
  'roles and databases',
  'disruption budgets; a drained primary',
  'pooling',
  'status with phase, conditions',
  'position, lag and timeline of each instance',
  'alerts and a dashboard',
  'pause, fence, hibernate',
  'kubectl',
  'operator can crash before or after any of its writes',
  'killed at random under load',
  'real control plane',
  'earlier release',
];

/** Returns the tests that a cell links to, and for each, the names in emphasis that follow the link. */
function testsIn(cell: string): readonly { readonly path: string; readonly names: readonly string[] }[] {
  return [...cell.matchAll(/\]\(([^)\s]+)\)([^[]*)/g)].map(([, path = '', after = '']) => ({
    path: join(repository, folder, path.replace(/#.*/, '')),
    names: [...after.matchAll(/\*([^*]+)\*/g)].map(([, name = '']) => name),
  }));
}

/** Returns the names of the tests in a file: a name may have parts that are computed. */
function namesIn(path: string): readonly string[] {
  return [
    ...readFileSync(path, 'utf8').matchAll(/\bit(?:\.\w+)*(?:\([^()]*\))?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g),
  ].map(([, , name = '']) => name.replaceAll('\\', ''));
}

const tables = { 'What the tests show': 2, 'Failures reported elsewhere': 1, 'Capability level 4': 3 };

describe('the page of the PostgreSQL operator', () => {
  it.each(Object.entries(tables))('links to existing tests in "%s"', (title, column) => {
    const rows = section(title);
    expect(rows.length).toBeGreaterThan(5);
    for (const row of rows) {
      const cell = row[column] ?? '';
      const tests = testsIn(cell);
      expect(tests.length > 0 || /\bopen\b/.test(cell), `a test, or open: ${row[0]} ${row[1]}`).toBe(true);
      for (const { path, names } of tests) {
        expect(existsSync(path), path).toBe(true);
        for (const name of names) {
          const start = name.replace(/ ?…$/, '');
          expect(
            namesIn(path).some((each) => (start === name ? each === name : each.startsWith(start))),
            `${path}: ${name}`,
          ).toBe(true);
        }
      }
    }
  });

  it('has a numbered row for each feature', () => {
    const rows = section('What the tests show');
    expect(rows.map(([number]) => number)).toEqual(rows.map((_, index) => String(index + 1)));
    const all = rows.map(([, feature]) => feature).join('\n');
    expect(features.filter((feature) => !all.includes(feature))).toEqual([]);
  });

  it('answers every question of capability level 4, which has no question 3', () => {
    const rows = section('Capability level 4');
    expect(rows.map(([number]) => number)).toEqual(['4.1', '4.2', '4.4', '4.5', '4.6', '4.7', '4.8']);
    for (const [, , answer] of rows) expect(answer).toMatch(/^yes\b/);
  });

  it('states the numbers of metrics and alerts', () => {
    const reference = page('docs/reference/postgres-metrics.md');
    const names = tableRows(reference).map(([name = '']) => name);
    const count = (pattern: RegExp) => names.filter((name) => pattern.test(name)).length;
    expect(found.text).toContain(`[${count(/^`Postgres/)} alerts]`);
    expect(found.text).toContain(`[${count(/^`postgres_/)} metrics]`);
  });
});
