import { Command } from 'commander';
import { addCommands } from './commands/index.ts';
import { completionsOf } from './completion/completions.ts';
import type { CliEnvironment } from './program/cli-environment.ts';
import type { Context } from './program/context.ts';
import { Reporter } from './program/reporter.ts';
import { version } from './program/version.ts';

/**
 * Runs a command line and returns its exit code.
 *
 * 0: success, or a server stopped on request; 1: fixable by the user; 2: invalid command line; 3: environment; 128 plus the
 * signal number (Ctrl-C: 130): interrupted.
 *
 * @example
 * ```ts
 * process.exitCode = await runCli(cliEnvironment());
 * ```
 */
export async function runCli(environment: CliEnvironment): Promise<number> {
  const { json, args } = takeJson(environment.args);
  const { stdout, stderr, colors, signal, env } = environment;
  const reporter = new Reporter({ stdout, stderr, json, colors });
  let exitCode = 0;
  const exitWith = (code: number): void => {
    exitCode = code;
  };
  const context: Context = { environment, reporter, exitWith };
  const program = commandTree(context);
  try {
    await program.parseAsync(args.length === 0 ? ['--help'] : [...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (isHelp(error)) return 0;
    if (signal.aborted) return environment.interruptedBy() || 1;
    const { failureOf } = await import('./program/failure.ts');
    const { usageError } = await import('./program/usage-error.ts');
    const { command, name } = commandOf(program, args);
    const cause = usageError(error, { command, name }) ?? error;
    const failure = failureOf(cause, { debug: Boolean(env['KUBEWRIGHT_DEBUG']), command: name });
    reporter.failure(failure.message);
    return failure.exitCode;
  }
}

/** Writes the completions of an unfinished line in the format that kubectl expects from a plugin. */
export function completeLine(environment: CliEnvironment): void {
  const { args, stdout, stderr } = environment;
  const reporter = new Reporter({ stdout, stderr, json: false, colors: false });
  const program = commandTree({ environment, reporter, exitWith: () => undefined });
  const words = completionsOf(program, args);
  // Cobra's directives: 4 disables file completion; 0 falls back to files if nothing else matches.
  stdout.write(`${words.map((word) => `${word}\n`).join('')}:${words.length > 0 ? 4 : 0}\n`);
}

/** Builds the program with all commands. */
function commandTree(context: Context): Command {
  const { environment } = context;
  const isPlugin = /kubectl-kubewright(\.js|\.cmd)?$/.test(environment.program.at(-1) ?? '');
  const program = new Command(isPlugin ? 'kubectl kubewright' : 'kubewright')
    .description('Build Kubernetes operators in TypeScript, and run them in an embedded cluster')
    .version(version, '-V, --version', 'print the version')
    .option('--json', 'write JSON records, one object per line')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    // `create api --version v1` is not the program's own flag.
    .enablePositionalOptions()
    .showSuggestionAfterError();
  // Commands inherit this setting only if it is applied before they are added.
  program.exitOverride().configureOutput({
    writeOut: (text) => environment.stdout.write(text),
    // Usage errors are reported like all other failures.
    writeErr: () => undefined,
  });
  addCommands(program, context);
  return program;
}

/** Returns the command of a line, and its name: the words that invoke it, with the program's name. */
function commandOf(program: Command, args: readonly string[]): { readonly command: Command; readonly name: string } {
  const [word, ...rest] = args;
  const below = program.commands.find((each) => each.name() === word);
  if (below === undefined) return { command: program, name: program.name() };
  const { command, name } = commandOf(below, rest);
  return { command, name: `${program.name()} ${name}` };
}

/** Accepts `--json` anywhere before `--`. */
function takeJson(args: readonly string[]): { readonly json: boolean; readonly args: readonly string[] } {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  return { json: own.includes('--json'), args: [...own.filter((arg) => arg !== '--json'), ...args.slice(own.length)] };
}

/** True for help and version, which Commander reports as errors. */
function isHelp(error: unknown): boolean {
  return error instanceof Error && 'exitCode' in error && error.exitCode === 0;
}
