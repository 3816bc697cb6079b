import { page } from '../docs/pages.ts';

/** A command line on the page, and its expected output. */
export interface ReadmeCommand {
  readonly line: string;
  /** The output; undefined if the page shows none, empty if the command must not print anything. */
  readonly sees: string | undefined;
}

/** The files and commands on the page about an operator in one file. */
export interface FirstOperator {
  readonly files: Readonly<Record<string, string>>;
  /** The commands in the second terminal, then in the third. */
  readonly commands: readonly ReadmeCommand[];
}

/** Reads the page's code blocks: blocks with a title are files, blocks without a language are commands. */
export function firstOperator(): FirstOperator {
  const { blocks } = page('docs/how-to/one-file.md');
  const files = blocks.filter(({ title }) => title !== '').map(({ title, text }) => [title, text] as const);
  const shell = blocks.filter(({ language }) => language === '');
  const commands = shell.flatMap(({ text }) => text.trimEnd().split('\n')).map(command);
  return { files: Object.fromEntries(files), commands };
}

/** Returns the program at the top of the README. */
export function programOfTheReadme(): string | undefined {
  return page('README.md').blocks.find(({ language }) => language === 'ts')?.text;
}

function command(text: string): ReadmeCommand {
  const [line = '', comment] = text.split(/\s+# /);
  return { line, sees: comment?.startsWith('(nothing') ? '' : comment };
}
