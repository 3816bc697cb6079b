import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';
import { docsPages, type Page, page } from './pages.ts';

/** Pages that end in another way: the landing page has further lines, the others are reports for maintainers. */
const reports = ['docs/index.md', 'docs/plan.md', 'docs/proof.md'];
const outside = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'bench/README.md', 'bench/notes.md'],
  ...['examples/postgresql/README.md', 'packages/schema/src/cel/README.md'],
  ...readdirSync(`${repository}/packages`).map((name) => `packages/${name}/README.md`),
].map(page);
const guides = [...docsPages().filter(({ path }) => !reports.includes(path)), ...outside];
const longest = 2_000;

const named = (pages: readonly Page[]) => pages.map((each) => [each.path, each] as const);

describe('pages of the documentation', () => {
  it.each(named(guides))('%s ends with the next steps', (_, { text }) => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings.at(-1)).toBe('Where to go next');
  });

  it.each(named([...guides, page('docs/index.md')]))('%s opens with a paragraph', (_, { text }) => {
    const [, opening = ''] = /^# .+\n+(.+)$/m.exec(text) ?? [];
    expect(opening).toMatch(/^[`[*\w]/);
  });

  it.each(named([...guides, page('docs/index.md')]))('%s can be read in ten minutes', (_, each) => {
    expect(wordsOf(each)).toBeLessThanOrEqual(longest);
  });
});

/** Counts the words of a page, without tables and code. */
function wordsOf({ text }: Page): number {
  const prose = text.replace(/^(`{3,}).*?^\1/gms, '').replace(/^\|.*$/gm, '');
  return prose.split(/\s+/).filter((word) => /\w/.test(word)).length;
}
