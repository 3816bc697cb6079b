import { sleep } from '@kubewright/apimachinery';
import type { CliEnvironment } from '../program/cli-environment.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type ClusterName, StateFolder } from './state-folder.ts';

/** The time to wait for a cluster to stop, in milliseconds. A cluster stops within 5 s. */
const stopTimeoutMs = 10_000;
const pollMs = 50;

/** Stops a cluster of this folder. */
export async function down({ environment, reporter }: Context, { name }: ClusterName): Promise<void> {
  const wasRunning = await stop(environment, new StateFolder(environment.cwd, name));
  reporter.step(wasRunning ? 'cluster stopped' : 'no cluster was running');
}

/** Stops a cluster of this folder and removes its state. */
export async function deleteCluster({ environment, reporter }: Context, { name }: ClusterName): Promise<void> {
  const folder = new StateFolder(environment.cwd, name);
  await stop(environment, folder);
  folder.remove();
  reporter.step('state removed', folder.path);
}

/** Returns true if a cluster was running. */
async function stop({ clock, signal, kill }: CliEnvironment, folder: StateFolder): Promise<boolean> {
  const { pid } = folder;
  if (pid === undefined) return false;
  kill(pid, 'SIGTERM');
  for (
    const end = clock.monotonic() + stopTimeoutMs;
    clock.monotonic() < end;
    await sleep(clock, { ms: pollMs, signal })
  ) {
    if (folder.pid !== pid) return true;
  }
  throw new CliError('KW7203', {
    what: 'the cluster did not stop',
    why: `process ${pid} is still running ${stopTimeoutMs / 1000} s after the stop signal`,
    remedy: `kill the process: kill -KILL ${pid}`,
  });
}
