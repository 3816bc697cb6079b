import { setPriority } from 'node:os';
import type { Child } from '../program/cli-environment.ts';
import type { Context } from '../program/context.ts';
import type { Project } from '../project/find-project.ts';
import { compilerFlags, compilerOf } from './compiler.ts';
import { addLine, reportMistakes, type TypeMistake, typesFailed } from './type-mistakes.ts';

/** Gives all other processes priority. */
const lowPriority = 10;
/** Codes of syntax errors. */
const syntax = /^TS1\d{3}$/;
/** Runs a compiler that exits with its parent process, even if the parent is killed. */
const wrapper =
  "process.stdin.on('end', () => process.exit(0)).resume(); import(require('node:url').pathToFileURL(process.argv[1]));";

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
    if (compiler === undefined) {
      this.#finish();
      return;
    }
    const flags = [...compilerFlags, '--watch', '--preserveWatchOutput'];
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
    if (this.#mistakes.length === 0) return;
    throw typesFailed(this.#mistakes);
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
    if (addLine(this.#mistakes, line)) return;
    if (/Starting (?:incremental )?compilation|File change detected/.test(line)) this.#mistakes = [];
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
    reportMistakes(this.#context, { project: this.#project, found });
  }
}
