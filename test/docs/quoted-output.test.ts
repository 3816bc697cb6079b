import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';
import { docsPages, type Page } from './pages.ts';

/** Guides that quote messages without producing them. */
const guides = docsPages().filter(
  ({ path, blocks }) => path.startsWith('docs/how-to/') && messagesIn({ blocks }).length > 0,
);
/**
 * The minimum share of a message's three-word sequences that must occur in the sources. The other sequences contain names
 * and numbers.
 */
const share = 0.6;
const sources = wordsOf(textsBelow(join(repository, 'packages'))).join(' ');

describe('messages that the guides quote', () => {
  it.each(guides.map((page) => [page.path, page] as const))('%s quotes them as the programs print them', (_, page) => {
    expect(messagesIn(page).filter((line) => knownShareOf(line) < share)).toEqual([]);
  });

  it('are reported when they change', () => {
    expect(
      knownShareOf('KW7403 the types would break the released version 0.2.0; nothing was written'),
    ).toBeGreaterThan(share);
    expect(knownShareOf('KW7403 the kinds will break what is in 0.2.0; no file was written')).toBeLessThan(share);
  });
});

/** Returns errors and remedies in the quoted output of a page. */
function messagesIn({ blocks }: Pick<Page, 'blocks'>): readonly string[] {
  const shown = blocks.filter(({ language }) => language === 'text' || language === '');
  return shown.flatMap(({ text }) => text.split('\n')).filter((line) => /^\s*(?:KW\d{4}|fix:) /.test(line));
}

function knownShareOf(line: string): number {
  const words = wordsOf(line.replace(/^\s*(?:KW\d{4}|fix:) /, ''));
  const runs = words.slice(2).map((_word, index) => words.slice(index, index + 3).join(' '));
  return runs.filter((run) => sources.includes(` ${run} `)).length / Math.max(runs.length, 1);
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\w'-]+/g) ?? []).filter((word) => /^[a-z]/.test(word));
}

/** Returns the sources below a folder, without comments, tests and generated files. */
function textsBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\/src\/.*\.ts$/.test(path) && !/node_modules|\.test\.ts$|testdata|generated/.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, ''))
    .join('\n');
}
