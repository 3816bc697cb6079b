import { describe, expect, it } from 'vitest';
import { formatProblem } from './problem.ts';
import { Fixture, headLines } from './testdata/fixture.ts';
import { wrongPrograms } from './testdata/wrong-programs.ts';

const fixture = new Fixture();

/** Renumbers the lines of a report, so that they count from the start of the program. */
const relative = (text: string): string =>
  text.replace(/^kind\.ts:(\d+)/gm, (_, line: string) => `kind.ts:${Number(line) - headLines}`);

async function report(name: string, source: string): Promise<string> {
  const { problems } = await fixture.generate(source);
  return `# ${name}\n\n${source}\n\n${problems.map((problem) => relative(formatProblem(problem))).join('\n')}\n`;
}

describe('invalid programs', () => {
  it('are reported with their position, the reason and a fix', { timeout: 120_000 }, async () => {
    const reports: string[] = [];
    for (const [name, source] of Object.entries(wrongPrograms)) reports.push(await report(name, source));
    // Update the file with `vitest -u`, and review the changes.
    await expect(reports.join('\n')).toMatchFileSnapshot('./testdata/wrong-programs.txt');
  });

  it.each(Object.entries(wrongPrograms))(
    'cause an error and generate no files, or cause a warning: %s',
    async (_, source) => {
      const { files, problems } = await fixture.generate(source);
      expect(problems.length).toBeGreaterThan(0);
      expect(problems.some(({ severity }) => severity === 'error') ? files : []).toEqual([]);
      for (const { file, line, column, fix } of problems) {
        expect([file, line > headLines, column > 0, fix.length > 0]).toEqual(['kind.ts', true, true, true]);
      }
    },
  );
});
