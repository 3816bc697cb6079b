import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import type { Project } from '../project/find-project.ts';
import { compilerFlags, compilerOf } from './compiler.ts';
import { addLine, reportMistakes, type TypeMistake, typesFailed } from './type-mistakes.ts';

/** A check of a project's types that runs in a separate process. */
export interface RunningCheck extends Disposable {
  /**
   * Waits for the end of the check and reports type errors.
   *
   * @throws CliError KW7507 if there are type errors
   */
  assertPassed(): Promise<void>;
  /** Waits for the end of the check and reports type errors. */
  report(): Promise<void>;
}

/** Starts to check a project's types once, with its own compiler; passes if the project has no compiler. */
export function checkTypes(project: Project, context: Context): RunningCheck {
  const { environment } = context;
  const { root } = project;
  const compiler = compilerOf(root);
  if (compiler === undefined) {
    const nothing = async (): Promise<void> => undefined;
    return { assertPassed: nothing, report: nothing, [Symbol.dispose]: () => undefined };
  }
  let output = '';
  const child = environment.spawn([environment.program[0] ?? 'node', compiler, ...compilerFlags], {
    cwd: root,
    env: environment.env,
    onOutput: (text) => {
      output += text;
    },
  });
  const failureOf = async (): Promise<CliError | undefined> => {
    const exitCode = await child.ended;
    environment.signal.throwIfAborted();
    if (exitCode === 0) return undefined;
    const lines = output.split('\n').map((line) => line.trimEnd());
    const found: TypeMistake[] = [];
    for (const line of lines) addLine(found, line);
    if (found.length === 0) return checkFailed(lines);
    reportMistakes(context, { project, found });
    return typesFailed(found);
  };
  return {
    async assertPassed() {
      const failure = await failureOf();
      if (failure !== undefined) throw failure;
    },
    async report() {
      const failure = await failureOf();
      // Type errors have been listed; a check that could not run has not.
      if (failure?.what === checkFailure) context.reporter.step('type check failed', failure.why ?? '', 'bad');
    },
    // Ends a check whose result is not needed; the compiler writes nothing.
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  };
}

const checkFailure = 'cannot check the types of the project';

/** Returns the error for a check that failed without a mistake in a file, such as one with an invalid `tsconfig.json`. */
function checkFailed(lines: readonly string[]): CliError {
  return new CliError('KW7507', {
    what: checkFailure,
    why: lines.filter((line) => line !== '').join('\n') || 'the compiler ended without output',
    remedy: 'fix tsconfig.json, or add --no-type-check to skip the check',
  });
}
