import type { Command } from 'commander';
import { type CommandWords, shells } from './shell-scripts.ts';

/** Returns the completions of the last word of a line, for the deepest command that the line names. */
export function completionsOf(program: Command, line: readonly string[]): readonly string[] {
  const named = line.slice(0, -1).filter((word) => !word.startsWith('-'));
  const fits = ({ path }: CommandWords): boolean => `${named.join(' ')} `.startsWith(path === '' ? '' : `${path} `);
  const deepestFirst = completions(program).sort((a, b) => b.path.length - a.path.length);
  const words = deepestFirst.find(fits)?.words ?? [];
  return words.filter((word) => word.startsWith(line.at(-1) ?? ''));
}

/** Returns every command with the words that can follow it. */
export function completions(command: Command, path: readonly string[] = []): CommandWords[] {
  const flags = command.options.map(({ long, short }) => long ?? short ?? '').filter(Boolean);
  const below = command.commands.map((each) => each.name());
  const shellNames = command.name() === 'completion' ? shells : [];
  const words = [...below, ...shellNames, ...flags, ...(path.length > 0 ? ['--json'] : []), '--help'];
  const own = { path: path.join(' '), words };
  return [own, ...command.commands.flatMap((each) => completions(each, [...path, each.name()]))];
}
