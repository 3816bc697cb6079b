import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../main-job/repository.ts';

const folder = join(repository, 'docs/reference');
const page = readFileSync(join(folder, 'articles.md'), 'utf8');
const [, table = ''] = page.split('## Row by row');
const rows = [...table.matchAll(/^\| (\d{3}) \|(.*)\|$/gm)].map(([, article = '', rest = '']) => [
  article,
  ...rest.split(/(?<!\\)\|/).map((cell) => cell.trim()),
]);

describe('the table of articles', () => {
  it('has rows for each article', () => {
    expect([...new Set(rows.map(([article]) => article))]).toEqual(['000', '001', '002', '003', '004']);
  });

  it.each(rows)('%s: %s, has a command and a test', (...row) => {
    expect(row).toHaveLength(4);
    expect(row.filter((cell) => cell === '')).toEqual([]);
    expect(row[3]).toMatch(/^\[`[\w.-]+\.test\.ts`\]\(\S+\)$/);
  });

  const commands = rows.flatMap(([, passage = '', command = '', test = '']) =>
    [...`${passage} ${command}`.matchAll(/`(kubectl [^`]+)`/g)].map(([, line = '']) => ({ line, command, test })),
  );

  // Commands on pages of examples count, because those pages are executed.
  it.each(commands)('$line is in the test or on the page', ({ line, command, test }) => {
    const files = [...`${command} ${test}`.matchAll(/\]\((\S+?)\)/g)].map(([, path = '']) => join(folder, path));
    expect(files.some((file) => readFileSync(file, 'utf8').includes(line))).toBe(true);
  });
});
