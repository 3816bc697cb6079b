import { describe, expect, it } from 'vitest';
import { docsPages, type Page, page } from './pages.ts';

const guides = docsPages().filter(({ path }) => !/^docs\/(decisions\/|plan\.md|proof\.md|index\.md)/.test(path));
const longest = 2_000;

describe('pages of the documentation', () => {
  it.each(guides.map((each) => [each.path, each] as const))('%s ends with the next steps', (_, { text }) => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings.at(-1)).toBe('Where to go next');
  });

  it.each([...guides, page('README.md'), page('docs/index.md')].map((each) => [each.path, each] as const))(
    '%s can be read in ten minutes',
    (_, each) => {
      expect(wordsOf(each)).toBeLessThanOrEqual(longest);
    },
  );
});

/** Counts the words of a page, without tables and code. */
function wordsOf({ text }: Page): number {
  const prose = text.replace(/^(`{3,}).*?^\1/gms, '').replace(/^\|.*$/gm, '');
  return prose.split(/\s+/).filter((word) => /\w/.test(word)).length;
}
