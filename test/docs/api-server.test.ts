import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';
import { codeIn, page, tableRows } from './pages.ts';

const rows = tableRows(page('docs/reference/api-server.md'));

describe('the table of the API server', () => {
  it('names tests that exist', () => {
    const tests = rows.flatMap(([, cell = '']) => codeIn(cell));
    expect(tests.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
    expect(tests.length).toBeGreaterThan(100);
  });

  it('has tests in each row, or says that the part is not available', () => {
    const untested = rows.filter(([, cell = '']) => codeIn(cell).length === 0);
    expect(untested.filter(([, , difference = '']) => !difference.startsWith('not available'))).toEqual([]);
  });
});
