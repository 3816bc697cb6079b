import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeFrame } from '../operator-log/code-frame.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import type { Project } from '../project/find-project.ts';

/** The maximum number of mistakes shown together. */
const maxShown = 5;
/** The maximum length of a shown line; types can be longer than a screen. */
const maxLength = 240;

/** A type error in a project. */
export interface TypeMistake {
  /** Path relative to the project's root. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** TypeScript's code, such as `TS2322`. */
  readonly code: string;
  readonly text: string;
  /** The cause within the types, if the compiler states one. Replaces a long explanation, of which it is the last line. */
  readonly detail?: string | undefined;
}

/** Adds a line of the compiler's output to the mistakes; returns false for a line that does not belong to a mistake. */
export function addLine(found: TypeMistake[], line: string): boolean {
  const [, file = '', row, column, code = '', text = ''] =
    /^(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)$/.exec(line) ?? [];
  const last = found.at(-1);
  if (code !== '') found.push({ file, line: Number(row), column: Number(column), code, text });
  else if (last !== undefined && /^ {2}\s*\S/.test(line)) found.splice(-1, 1, { ...last, detail: line.trim() });
  else return false;
  return true;
}

/** Reports mistakes: their number, and the first few with their lines of code. */
export function reportMistakes(
  { reporter }: Pick<Context, 'reporter'>,
  { project, found }: { readonly project: Project; readonly found: readonly TypeMistake[] },
): void {
  reporter.step('type check failed', counted(found), 'bad');
  if (reporter.json) for (const mistake of found) reporter.record({ typeError: mistake });
  else {
    const shown = found.slice(0, maxShown).flatMap((mistake) => {
      const { head, frame } = describeMistake(project.root, mistake);
      return [...head.map((line) => `    ${line}`), ...frame.map((line) => reporter.dim(`      ${line}`))];
    });
    reporter.text(shown.map((line) => `${line}\n`).join(''));
  }
}

/** Returns the error for a project with mistakes that have been reported. */
export function typesFailed(found: readonly TypeMistake[]): CliError {
  const [first] = found;
  return new CliError('KW7507', {
    what: 'the types of the project have errors',
    why: `${counted(found)}, the first in ${first?.file}:${first?.line}:${first?.column}`,
    remedy: 'fix the errors listed above, or add --no-type-check to ignore them',
  });
}

function counted(found: readonly TypeMistake[]): string {
  return found.length === 1 ? 'one error' : `${found.length} errors`;
}

function describeMistake(
  root: string,
  { file, line, column, code, text, detail }: TypeMistake,
): { readonly head: readonly string[]; readonly frame: readonly string[] } {
  const head = [`${file}:${line}:${column} ${code} ${shortened(text)}`];
  if (detail !== undefined) head.push(`  ${shortened(detail)}`);
  try {
    return { head, frame: codeFrame(readFileSync(join(root, file), 'utf8'), { line, column }) };
  } catch {
    // Deleted in the meantime.
    return { head, frame: [] };
  }
}

function shortened(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
