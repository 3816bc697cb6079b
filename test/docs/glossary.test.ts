import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';
import { codeIn, page, tableRows } from './pages.ts';

const rows = tableRows(page('docs/glossary.md'));

describe('the glossary', () => {
  it('is sorted within each table', () => {
    const { text } = page('docs/glossary.md');
    for (const section of text.split(/^## /m)) {
      const terms = tableRows({ ...page('docs/glossary.md'), text: section }).map(([term = '']) => term.toLowerCase());
      expect(terms).toEqual([...terms].sort());
    }
  });

  it('names existing identifiers', () => {
    const declared = declarations();
    const named = rows.flatMap(([, code = '']) => codeIn(code)).filter((name) => /^[A-Z]\w+$/.test(name));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !declared.has(name) && !wire.has(name))).toEqual([]);
  });
});

/** Names of the Kubernetes API that our packages do not declare. */
const wire = new Set(['BOOKMARK', 'Foreground', 'Background', 'Orphan', 'Namespaced', 'Cluster', 'Lease', 'Event']);

/** Returns the names of all classes, interfaces, types, functions and constants of the packages. */
function declarations(): ReadonlySet<string> {
  const names = new Set<string>();
  for (const name of readdirSync(join(repository, 'packages'))) {
    const folder = join(repository, 'packages', name, 'src');
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.includes('generated')) continue;
      const text = readFileSync(join(folder, file), 'utf8');
      for (const [, found = ''] of text.matchAll(/^export (?:class|interface|type|function|const) (\w+)/gm)) {
        names.add(found);
      }
    }
  }
  return names;
}
