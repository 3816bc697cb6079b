import { describe, expect, it } from 'vitest';
import { formatProblem } from './problem.ts';
import { Fixture, headLines } from './testdata/fixture.ts';
import { wrongPrograms } from './testdata/wrong-programs.ts';

const fixture = new Fixture();

/** Lines are counted from the start of the program that is shown. */
const relative = (text: string): string =>
  text.replace(/^kind\.ts:(\d+)/gm, (_, line: string) => `kind.ts:${Number(line) - headLines}`);

async function report(name: string, source: string): Promise<string> {
  const { problems } = await fixture.generate(source);
  return `# ${name}\n\n${source}\n\n${problems.map((problem) => relative(formatProblem(problem))).join('\n')}\n`;
}

describe('wrong programs', () => {
  it('are told where they are wrong, why, and what to write instead', { timeout: 120_000 }, async () => {
    const reports: string[] = [];
    for (const [name, source] of Object.entries(wrongPrograms)) reports.push(await report(name, source));
    // Reviewed by eye when it changes: vitest -u writes it anew.
    await expect(reports.join('\n')).toMatchFileSnapshot('./testdata/wrong-programs.txt');
  });

  it.each(Object.entries(wrongPrograms))('keep files from being made, or warn: %s', async (_, source) => {
    const { files, problems } = await fixture.generate(source);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.some(({ severity }) => severity === 'error') ? files : []).toEqual([]);
    for (const { file, line, column, fix } of problems) {
      expect([file, line > headLines, column > 0, fix.length > 0]).toEqual(['kind.ts', true, true, true]);
    }
  });
});
