import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { codeFrame } from '../operator-log/code-frame.ts';
import type { Child } from '../program/cli-environment.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import type { Project } from '../project/find-project.ts';

/** The maximum number of mistakes shown together. */
const maxShown = 5;
/** Gives all other processes priority. */
const lowPriority = 10;
/** Codes of syntax errors. */
const syntax = /^TS1\d{3}$/;
/** Runs a compiler that exits with its parent process, even if the parent is killed. */
const wrapper =
  "process.stdin.on('end', () => process.exit(0)).resume(); import(require('node:url').pathToFileURL(process.argv[1]));";

interface TypeMistake {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly text: string;
}

/**
 * Checks a project's types with its own compiler, in a separate process, so a restart never waits for it. Reports when type errors
 * appear and when they are fixed.
 */
export class TypeCheck implements AsyncDisposable {
  readonly #project: Project;
  readonly #context: Context;
  /** True after the bundler has reported a syntax error. */
  readonly #isSyntaxReported: () => boolean;
  #child: Child | undefined;
  readonly #firstResult: Promise<void>;
  #finish: () => void = () => undefined;
  #partial = '';
  #mistakes: TypeMistake[] = [];
  #printed = '';

  constructor(project: Project, context: Context, { isSyntaxReported }: { readonly isSyntaxReported: () => boolean }) {
    this.#project = project;
    this.#context = context;
    this.#isSyntaxReported = isSyntaxReported;
    this.#firstResult = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Starts checking; does nothing if the project has no compiler. */
  start(): void {
    const { root } = this.#project;
    const { environment } = this.#context;
    const compiler = compilerOf(root);
    if (compiler === undefined || !existsSync(join(root, 'tsconfig.json'))) {
      this.#finish();
      return;
    }
    const flags = ['--noEmit', '--watch', '--preserveWatchOutput', '--pretty', 'false'];
    this.#child = environment.spawn([environment.program[0] ?? 'node', '-e', wrapper, compiler, ...flags], {
      cwd: root,
      env: environment.env,
      input: true,
      onOutput: (text) => this.#take(text),
    });
    void this.#child.ended.then(this.#finish);
    try {
      if (this.#child.pid !== undefined) setPriority(this.#child.pid, lowPriority);
    } catch {
      // The process has already exited, or the system has no priorities.
    }
  }

  /**
   * Waits for the first result of a started check.
   *
   * @throws CliError KW7507 if there are type errors, which have been reported.
   */
  async assertPassed(): Promise<void> {
    await this.#firstResult;
    const [first] = this.#mistakes;
    if (first === undefined) return;
    const count = this.#mistakes.length === 1 ? 'one error' : `${this.#mistakes.length} errors`;
    throw new CliError('KW7507', {
      what: 'the types of the project have errors',
      why: `${count}, the first in ${first.file}:${first.line}:${first.column}`,
      remedy: 'fix the errors listed above, or add --no-type-check to ignore them',
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The compiler holds no state, so a clean exit is not necessary.
    this.#child?.kill('SIGKILL');
    await this.#child?.ended;
  }

  #take(text: string): void {
    const lines = (this.#partial + text).split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) this.#line(line.trimEnd());
  }

  #line(line: string): void {
    const [, file = '', row, column, code = '', text = ''] =
      /^(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)$/.exec(line) ?? [];
    if (code !== '') this.#mistakes.push({ file, line: Number(row), column: Number(column), code, text });
    else if (/Starting (?:incremental )?compilation|File change detected/.test(line)) this.#mistakes = [];
    else if (/Found \d+ errors?\. Watching/.test(line)) {
      this.#report();
      this.#finish();
    }
  }

  #report(): void {
    const found = this.#mistakes;
    // If there are syntax errors, the compiler reports nothing else.
    if (found.some(({ code }) => syntax.test(code)) && this.#isSyntaxReported()) return;
    const now = JSON.stringify(found.map(({ file, code, text, line }) => [file, code, text, line]));
    if (now === this.#printed) return;
    const isFirst = this.#printed === '';
    this.#printed = now;
    const { reporter } = this.#context;
    if (found.length === 0) {
      reporter.step('type check passed', isFirst ? '' : 'again');
      return;
    }
    reporter.step('type check failed', found.length === 1 ? 'one error' : `${found.length} errors`, 'bad');
    if (reporter.json) for (const mistake of found) reporter.record({ typeError: mistake });
    else
      reporter.text(
        found
          .slice(0, maxShown)
          .map((each) => this.#show(each))
          .join(''),
      );
  }

  #show({ file, line, column, code, text }: TypeMistake): string {
    const { reporter } = this.#context;
    const head = `    ${file}:${line}:${column} ${code} ${text}`;
    let frame: readonly string[] = [];
    try {
      frame = codeFrame(readFileSync(join(this.#project.root, file), 'utf8'), { line, column });
    } catch {
      // Deleted in the meantime.
    }
    return [head, ...frame.map((each) => reporter.dim(`      ${each}`))].map((each) => `${each}\n`).join('');
  }
}

function compilerOf(root: string): string | undefined {
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve('typescript/package.json');
    const compiler = join(dirname(manifest), 'bin', 'tsc');
    return existsSync(compiler) ? compiler : undefined;
  } catch {
    // The compiler is not installed; the editor still checks types.
    return undefined;
  }
}
