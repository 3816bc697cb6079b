import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';
import { codeIn, page, tableRows } from './pages.ts';

const rows = tableRows(page('docs/reference/bad-input.md'));

describe('the table of bad input', () => {
  it('has 80 numbered rows', () => {
    const numbers = rows.flatMap(([first = '']) => (/^\d+$/.test(first) ? [Number(first)] : []));
    expect(numbers).toEqual(Array.from({ length: 80 }, (_, index) => index + 1));
  });

  it('names tests that exist, in each row', () => {
    const tests = rows.map((cells) => codeIn(cells.at(-1) ?? ''));
    expect(tests.filter((paths) => paths.length === 0)).toEqual([]);
    expect(tests.flat().filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  });
});
