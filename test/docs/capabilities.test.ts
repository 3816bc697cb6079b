import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';
import { page, tableRows } from './pages.ts';

const folder = 'examples/postgresql';
const readme = page(`${folder}/README.md`);
const rows = tableRows(readme).filter(([number = '']) => /^\d\.\d+$/.test(number));
/** Number of the last of the Operator Framework's guiding questions, by level. Level 4 has no question 3. */
const questions = { 1: 10, 2: 5, 3: 10, 4: 8, 5: 6 };

describe("the table of the example's capabilities", () => {
  it('answers every question of every level', () => {
    const all = Object.entries(questions).flatMap(([level, count]) =>
      Array.from({ length: count }, (_, i) => `${level}.${i + 1}`),
    );
    expect(rows.map(([number]) => number)).toEqual(all.filter((number) => number !== '4.3'));
  });

  it.each(rows)('%s %s has an answer, with a test for each claim', (_number, _question, answer = '', tested = '') => {
    const links = [...tested.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title = '', path = '']) => ({
      title,
      path,
    }));
    expect(answer).toMatch(/^(yes|partly|no|no claim)(:|$)/);
    expect(links.length > 0).toBe(/^(yes|partly)/.test(answer));
    for (const { title, path } of links) {
      const text = readFileSync(join(repository, folder, path), 'utf8');
      expect(text, path).toMatch(new RegExp(`\\bit\\(\\s*(['"\`])${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\1`));
    }
  });

  it('claims the only level with three or more "yes" answers', () => {
    const [, claimed = ''] = /claims level (\d)/.exec(readme.text) ?? [];
    const isAnswered = (level: number): boolean =>
      rows.filter(([number = '']) => number.startsWith(`${level}.`)).filter(([, , answer = '']) => /^yes/.test(answer))
        .length >= 3;
    expect([1, 2, 3, 4, 5].filter(isAnswered)).toEqual([Number(claimed)]);
  });
});
