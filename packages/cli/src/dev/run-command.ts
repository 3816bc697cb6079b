import type { Context } from '../program/context.ts';

/** Options for {@link runCommand}. */
export interface RunCommandOptions {
  /** Text for the shell. */
  readonly command: string;
  /** Path of the cluster's kubeconfig; undefined if the default already selects the cluster. */
  readonly kubeconfig: string | undefined;
  /** Stops the command. */
  readonly signal: AbortSignal;
}

/** Runs a shell command with `KUBECONFIG` set and returns its exit code, as a shell would report it. */
export async function runCommand({ environment }: Context, options: RunCommandOptions): Promise<number> {
  const { command, kubeconfig, signal } = options;
  const shell = environment.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c'] : ['/bin/sh', '-c'];
  const env = kubeconfig === undefined ? environment.env : { ...environment.env, KUBECONFIG: kubeconfig };
  const child = environment.spawn([...shell, command], { cwd: environment.cwd, env });
  const stop = (): void => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const exitCode = await child.ended;
  signal.removeEventListener('abort', stop);
  return exitCode;
}
