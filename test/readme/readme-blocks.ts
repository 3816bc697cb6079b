import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../main-job/repository.ts';

/** A command line of the README, and the text that is to be seen after it. */
export interface ReadmeCommand {
  readonly line: string;
  /** Undefined when the README says nothing of it; empty when nothing may be printed. */
  readonly sees: string | undefined;
}

/** What the README tells a user to write and to type for a first operator. */
export interface FirstOperator {
  readonly files: Readonly<Record<string, string>>;
  /** Second terminal, then third. */
  readonly commands: readonly ReadmeCommand[];
}

/** Takes the blocks of "Your first operator" from the README. */
export function firstOperator(): FirstOperator {
  const readme = readFileSync(join(repository, 'README.md'), 'utf8');
  const section = /^## Your first operator$(.*?)^## /ms.exec(readme)?.[1] ?? '';
  const [program, manifest, crd] = [block(readme, 'ts'), block(section, 'json'), block(section, 'yaml')];
  const fenced = [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  const shell = fenced.flatMap(([, language, text = '']) => (language === '' ? [text] : []));
  const commands = shell.flatMap((text) => text.trimEnd().split('\n')).map(command);
  return { files: { 'main.ts': program, 'package.json': manifest, 'crd.yaml': crd }, commands };
}

function block(text: string, language: string): string {
  const found = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(text)?.[1];
  if (found === undefined) throw new Error(`README.md has no block of ${language} where one is expected`);
  return found;
}

function command(text: string): ReadmeCommand {
  const [line = '', comment] = text.split(/\s+# /);
  return { line, sees: comment?.startsWith('(nothing') ? '' : comment };
}
