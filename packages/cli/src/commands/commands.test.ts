import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { cliEnvironment } from '../program/process-environment.ts';
import { Reporter } from '../program/reporter.ts';
import { addCommands } from './index.ts';

const folder = import.meta.dirname;

/** Returns every command as the words that call it: `['create', 'api']`. */
function pathsOf(command: Command, words: readonly string[] = []): readonly (readonly string[])[] {
  return command.commands.flatMap((each) => {
    const path = [...words, each.name()];
    return [path, ...pathsOf(each, path)];
  });
}

describe('commands', () => {
  const environment = cliEnvironment();
  const program = new Command();
  const reporter = new Reporter({ ...environment, json: false });
  addCommands(program, { environment, reporter, exitWith: () => undefined });
  const paths = pathsOf(program);

  it.each(paths.map((path) => path.join(' ')))('declares `%s` in the file of that name, alone', (line) => {
    const words = line.split(' ');
    const file = join(folder, `${words.join('/')}.ts`);
    expect(existsSync(file)).toBe(true);
    const declared = [...readFileSync(file, 'utf8').matchAll(/\.command\('([\w-]+)'\)/g)].map(([, name]) => name);
    expect(declared).toEqual([words.at(-1)]);
  });

  it('has no file without a command', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('options/'))
      .filter((name) => name !== 'index.ts');
    expect(files.sort()).toEqual(paths.map((path) => `${path.join('/')}.ts`).sort());
  });
});
