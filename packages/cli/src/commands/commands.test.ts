import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { cliEnvironment } from '../program/process-environment.ts';
import { Reporter } from '../program/reporter.ts';
import { addCommands } from './index.ts';

const folder = import.meta.dirname;

/** Matches static and dynamic imports, but not type-only imports. */
const importPattern = /(?:^(?:import|export) (?!type )[^;]*?from |\bimport\()'([^']+)'/gm;
/** Modules that read answers from a terminal. */
const prompts = ['@clack/prompts', 'node:readline', 'node:readline/promises'];

/** True if a module of this package, or any module it imports, can prompt the user. */
function canPrompt(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  // Templates of project files import modules that exist only in projects.
  if (!existsSync(file)) return false;
  const imported = [...readFileSync(file, 'utf8').matchAll(importPattern)].map(([, name = '']) => name);
  return imported.some((name) =>
    name.startsWith('.') ? canPrompt(join(dirname(file), name), seen) : prompts.includes(name),
  );
}

/** Returns every command with the words that invoke it: `['create', 'api']`. */
function commandsOf(
  command: Command,
  words: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly command: Command }[] {
  return command.commands.flatMap((each) => {
    const path = [...words, each.name()];
    return [{ path, command: each }, ...commandsOf(each, path)];
  });
}

describe('commands', () => {
  const environment = cliEnvironment();
  const program = new Command();
  const reporter = new Reporter({ ...environment, json: false });
  addCommands(program, { environment, reporter, exitWith: () => undefined });
  const commands = commandsOf(program);
  const paths = commands.map(({ path }) => path);

  it.each(paths.map((path) => path.join(' ')))('declares only `%s` in the file of that name', (line) => {
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

  it('finds the commands that prompt', () => {
    const prompting = paths.map((path) => path.join('/')).filter((path) => canPrompt(join(folder, `${path}.ts`)));
    expect(prompting).toEqual(expect.arrayContaining(['init', 'uninstall', 'undeploy']));
    expect(prompting).not.toContain('version');
  });

  it('takes --yes wherever a command can prompt', () => {
    const stuck = commands
      .filter(({ path, command }) => command.commands.length === 0 && canPrompt(join(folder, `${path.join('/')}.ts`)))
      .filter(({ command }) => !command.options.some(({ long, short }) => long === '--yes' && short === '-y'))
      .map(({ path }) => path.join(' '));
    expect(stuck).toEqual([]);
  });

  it('validates every image while it parses the command line', () => {
    const options = commands.flatMap(({ command }) => command.options.filter(({ flags }) => /image/i.test(flags)));
    expect(options.length).toBeGreaterThan(2);
    for (const { parseArg } of options) expect(() => parseArg?.('Bad:Image:x', undefined)).toThrow('must be lowercase');
  });
});
