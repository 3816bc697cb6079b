import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';
import { page, tableRows } from './pages.ts';

const rows = tableRows(page('docs/reference/conventions.md'));

describe('the table of conventions', () => {
  it('has each of the 39 conventions, once and in order', () => {
    expect(rows.map(([number]) => Number(number))).toEqual(Array.from({ length: 39 }, (_, i) => i + 1));
  });

  it.each(rows)('%s %s states its status and its tests', (_number, _convention, here = '', state, tested = '') => {
    expect(['holds', 'partly', 'not yet']).toContain(state);
    expect(here).not.toBe('');
    // Any state other than "holds" must name what is missing.
    if (state !== 'holds') expect(here).toMatch(/not yet|not tried|not by|Not `/);
    const tests = [...tested.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)].map(([, path = '']) => path);
    if (state === 'holds') expect(tests.length).toBeGreaterThan(0);
    for (const path of tests) {
      expect(path).toMatch(/\.test\.ts$/);
      expect(existsSync(join(repository, path)), path).toBe(true);
    }
  });
});
