import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tags } from '../../packages/codegen/src/tags/tag-table.ts';
import { repository } from '../main-job/repository.ts';
import { codeIn, page, tableRows } from './pages.ts';

const markers = page('docs/reference/markers.md');
const rows = tableRows(markers);
/** Documentation tags that the generator ignores, or that are part of another tag. */
const others = ['rbac', 'defaultValue'];
/** Markers that are newer than the survey; the text below the table names them. */
const newer = ['skipdescription'];

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

  it('names all existing tags, and no others', () => {
    const named = codeIn(markers.text).flatMap((code) => [...code.matchAll(/@(?:items\.|values\.)?(\w+)/g)]);
    const names = new Set(named.map(([, name = '']) => name).filter((name) => !['items', 'values'].includes(name)));
    const known = [...tags.map(({ name }) => name), ...others];
    expect([...names].filter((name) => !known.includes(name))).toEqual(['kubewright']);
    expect(known.filter((name) => !names.has(name))).toEqual([]);
  });

  it('lists each tag next to its marker in the generator', () => {
    for (const { name, argument, markers: theirs } of tags) {
      // A tag that is part of another tag is listed with it.
      if (argument === 'sub') continue;
      const marker = theirs[0]?.split(':').at(-1)?.toLowerCase();
      if (marker === undefined || newer.includes(marker)) continue;
      const own = rows.filter(([, , here = '']) => codeIn(here).some((code) => code.split(' ')[0] === `@${name}`));
      const there = own.map(([, cell = '']) => cell.toLowerCase());
      expect(
        there.some((cell) => cell.includes(marker)),
        `@${name} beside ${marker}, not ${there.join(' or ')}`,
      ).toBe(true);
    }
  });

  it('names existing options of defineKind', () => {
    const surface = readFileSync(join(repository, 'docs/api/runtime.api.md'), 'utf8');
    const [, definition = ''] = /^export interface KindDefinition\b.*?\{\n(.*?)^\}/ms.exec(surface) ?? [];
    const options = rows.flatMap(([, , here = '']) => {
      const [, before = ''] = /^(.*?) in `defineKind`/.exec(here) ?? [];
      return codeIn(before).filter((code) => /^\w+$/.test(code));
    });
    expect(options.length).toBeGreaterThan(10);
    expect(options.filter((name) => !new RegExp(`readonly ${name}\\??:`).test(definition))).toEqual([]);
  });
});
