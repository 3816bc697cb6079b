import { cliEnvironment, runCli } from 'kubewright';

/** Runs `kubewright init ARGS` for `npm create kubewright ARGS`, with this process's arguments. Returns the exit code. */
export function createProject(): Promise<number> {
  const surroundings = cliEnvironment();
  return runCli({ ...surroundings, args: ['init', ...surroundings.args] });
}
