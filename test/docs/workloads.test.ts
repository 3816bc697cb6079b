import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';
import { codeIn, page, tableRows } from './pages.ts';

const sources = join(repository, 'packages/controlplane/src');
const rows = tableRows(page('docs/reference/workloads.md'));

describe('the table of controllers, scheduler and nodes', () => {
  it('names tests that exist', () => {
    const tests = rows.flatMap(([, , cell = '']) => codeIn(cell));
    expect(tests.filter((path) => !existsSync(join(sources, path)))).toEqual([]);
    expect(tests.length).toBeGreaterThan(60);
  });

  it('has tests in each row', () => {
    expect(rows.filter(([, , cell = '']) => codeIn(cell).length === 0)).toEqual([]);
  });

  it('has each built-in controller once', () => {
    const list = readFileSync(join(sources, 'controllers/index.ts'), 'utf8');
    const [, controllers = ''] = /const controllers[^{]*\{(.*?)\n\};/s.exec(list) ?? [];
    const names = [...controllers.matchAll(/'([a-z-]+)':/g)].map(([, name = '']) => name);
    const inTable = rows.flatMap(([cell = '']) => codeIn(cell)).filter((code) => code.endsWith('-controller'));
    expect(names.length).toBeGreaterThan(30);
    expect([...inTable].sort()).toEqual([...names].sort());
  });
});
