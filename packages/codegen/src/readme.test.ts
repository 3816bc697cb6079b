import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tags } from './tags/tag-table.ts';
import { writeManifests } from './testdata/readme-example.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README', () => {
  it('shows the example that is type-checked', () => {
    const shown = /```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1];
    expect(shown).toBe(read('testdata/readme-example.ts'));
    expect(writeManifests).toBeTypeOf('function');
  });

  it('names every tag, and every row of the list that it goes by', () => {
    const text = read('../README.md');
    expect(tags.filter(({ name }) => !text.includes(`\`@${name}\``)).map(({ name }) => name)).toEqual([]);
    const rows = [...text.matchAll(/^\| (\d{3})(?:, (\d{3}))? \|/gm)]
      .flatMap(([, a, b]) => (b ? [a, b] : [a]))
      .map(Number);
    expect([...new Set(rows)]).toEqual(Array.from({ length: 49 }, (_, i) => 161 + i));
  });
});
