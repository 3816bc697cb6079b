import { cliEnvironment, runCli } from 'kubewright';

/** What `npm create kubewright ARGS` does: `kubewright init ARGS` with this process's arguments; answers the exit code. */
export function createProject(): Promise<number> {
  const surroundings = cliEnvironment();
  return runCli({ ...surroundings, args: ['init', ...surroundings.args] });
}
