import { cliEnvironment, runCli } from 'kubewright';

/**
 * Runs `kubewright init ARGS` for `npm create kubewright ARGS`, with this process's arguments. Returns the exit code.
 *
 * @example
 * ```ts
 * process.exitCode = await createProject();
 * ```
 */
export function createProject(): Promise<number> {
  const environment = cliEnvironment();
  return runCli({ ...environment, args: ['init', ...environment.args] });
}
