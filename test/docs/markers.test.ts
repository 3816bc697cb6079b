import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TagArgument } from '../../packages/codegen/src/tags/tag.ts';
import { tags } from '../../packages/codegen/src/tags/tag-table.ts';
import { repository } from '../main-job/repository.ts';
import { codeIn, page, tableRows } from './pages.ts';

const markers = page('docs/reference/markers.md');
/** The rows of the survey. They start with a number; rows of the page's second table start with a tag. */
const rows = tableRows(markers).filter(([first = '']) => /^\d/.test(first));
/** Documentation tags that the generator ignores, or that are part of another tag. */
const others = ['rbac', 'defaultValue'];
/** Markers that are newer than the survey. The text below the table mentions them. */
const newer = ['skipdescription'];
const arguments_: Readonly<Record<TagArgument, string>> = {
  none: '',
  number: 'number',
  numberOrNone: 'number, or none',
  count: 'whole number',
  text: 'text',
  names: 'names',
  json: 'value',
  list: 'values',
  url: 'URL and description',
  sub: 'text, after `@rule`',
};

/** Returns the table of all tags as it appears on the page. */
function tagTable(): string {
  const lines = tags.map(({ name, argument, on = [], places = ['field', 'type'], key }) =>
    ['', `\`@${name}\``, arguments_[argument], on.join(', '), places.join(', '), key, ''].join(' | ').trim(),
  );
  return ['| tag | argument | for | on | sets |', '| --- | --- | --- | --- | --- |', ...lines].join('\n');
}

describe('the table of markers', () => {
  it('has every row of the survey', () => {
    const numbers = rows.flatMap(([row = '']) => row.split(', ').map(Number));
    expect([...new Set(numbers)].sort((a, b) => a - b)).toEqual(Array.from({ length: 49 }, (_, i) => 161 + i));
  });

  it('gives the equivalent of each row, or the reason for leaving it out', () => {
    for (const [row = '', there = '', here = ''] of rows) {
      expect(here, `${row} ${there}`).not.toBe('');
      if (here.includes('left out')) expect(here, `${row} ${there}`).toMatch(/left out: \S+/);
    }
  });

  // `npx vitest run test/docs/markers.test.ts -u` writes the table into the page.
  it('ends with the generated table of every tag', async () => {
    const written = markers.text.replace(/(<!-- tags -->\n).*(<!-- \/tags -->)/s, (_, start: string, end: string) =>
      [start, tagTable(), '\n', end].join(''),
    );
    expect(written).toContain('| `@minimum` | number | number, integer, intOrString | field, type | minimum |');
    await expect(written).toMatchFileSnapshot(join(repository, 'docs/reference/markers.md'));
  });

  it('names all existing tags, and no others', () => {
    const named = codeIn(markers.text).flatMap((code) => [...code.matchAll(/@(?:items\.|values\.)?(\w+)/g)]);
    const names = new Set(named.map(([, name = '']) => name).filter((name) => !['items', 'values'].includes(name)));
    const known = [...tags.map(({ name }) => name), ...others];
    expect([...names].filter((name) => !known.includes(name))).toEqual(['kubewright']);
    expect(known.filter((name) => !names.has(name))).toEqual([]);
  });

  it('lists each tag next to its marker in the generator', () => {
    for (const { name, argument, markers: theirs } of tags) {
      // The page lists a sub-tag with its parent tag.
      if (argument === 'sub') continue;
      const marker = theirs[0]?.split(':').at(-1)?.toLowerCase();
      if (marker === undefined || newer.includes(marker)) continue;
      const own = rows.filter(([, , here = '']) => codeIn(here).some((code) => code.split(' ')[0] === `@${name}`));
      const there = own.map(([, cell = '']) => cell.toLowerCase());
      expect(
        there.some((cell) => cell.includes(marker)),
        `@${name} with ${marker}, not ${there.join(' or ')}`,
      ).toBe(true);
    }
  });

  it('names existing options of defineKind', () => {
    const source = readFileSync(join(repository, 'packages/runtime/src/kind/define-kind.ts'), 'utf8');
    const [, definition = ''] = /^export interface KindDefinition\b.*?\{\n(.*?)^\}/ms.exec(source) ?? [];
    const options = rows.flatMap(([, , here = '']) => {
      const [, before = ''] = /^(.*?) in `defineKind`/.exec(here) ?? [];
      return codeIn(before).filter((code) => /^\w+$/.test(code));
    });
    expect(options.length).toBeGreaterThan(10);
    expect(options.filter((name) => !new RegExp(`readonly ${name}\\??:`).test(definition))).toEqual([]);
  });
});
