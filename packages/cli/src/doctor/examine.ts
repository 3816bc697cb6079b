import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import type { CliEnvironment } from '../program/cli-environment.ts';
import type { Message } from '../program/cli-error.ts';
import { failureOf } from '../program/failure.ts';
import { findProject } from '../project/find-project.ts';
import { environmentOf } from '../target/connect.ts';

/** The result of one check. */
export interface Finding {
  readonly subject: string;
  /** `note`: missing, but not needed by every command. */
  readonly state: 'good' | 'note' | 'bad';
  readonly text: string;
  readonly remedy?: string;
}

/** The cluster to check. */
export interface ClusterChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** The time in which a cluster must respond, in milliseconds. */
const patienceMs = 3_000;

/** Checks everything that commands depend on; changes nothing. */
export async function examine(environment: CliEnvironment, choice: ClusterChoice): Promise<readonly Finding[]> {
  return [
    { subject: 'node', state: 'good', text: environment.nodeVersion },
    kubectl(environment),
    await kubeconfig(environment, choice),
    await port(),
    folder(environment),
    project(environment),
  ];
}

function kubectl({ env, platform }: CliEnvironment): Finding {
  const subject = 'kubectl';
  const name = platform === 'win32' ? 'kubectl.exe' : 'kubectl';
  const found = (env['PATH'] ?? '')
    .split(delimiter)
    .map((each) => join(each, name))
    .find(isExecutable);
  if (found !== undefined) return { subject, state: 'good', text: found };
  return {
    subject,
    state: 'note',
    text: 'not found on the PATH; optional: Kubewright does not need kubectl',
    remedy: 'install kubectl: https://kubernetes.io/docs/tasks/tools/',
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // The program is not in this folder; a later folder may contain it.
    return false;
  }
}

async function kubeconfig(environment: CliEnvironment, choice: ClusterChoice): Promise<Finding> {
  const subject = 'kubeconfig';
  const { clock, signal } = environment;
  const late = new AbortController();
  using _timer = clock.setTimer(patienceMs, () => late.abort(new Error(`no response within ${patienceMs / 1000} s`)));
  try {
    const config = await loadClientConfig({ ...choice, environment: environmentOf(environment) });
    await using client = clientFromConfig(config, { clock });
    const { gitVersion } = await client.discovery.serverVersion({ signal: AbortSignal.any([signal, late.signal]) });
    return { subject, state: 'good', text: `${config.server} is reachable: Kubernetes ${gitVersion}` };
  } catch (error) {
    signal.throwIfAborted();
    const isRequested =
      choice.kubeconfig !== undefined || choice.context !== undefined || Boolean(environment.env['KUBECONFIG']);
    const { what, why, remedy } = late.signal.aborted
      ? lateMessage()
      : failureOf(error, { debug: false, command: 'kubewright doctor' }).message;
    const failure = why === undefined ? what : `${what}: ${why}`;
    const text = isRequested
      ? failure
      : `${failure}; kubewright cluster up and kubewright dev do not need a kubeconfig`;
    return { subject, state: isRequested ? 'bad' : 'note', text, remedy };
  }
}

function lateMessage(): Message {
  return {
    what: 'cannot reach the API server',
    why: `no response within ${patienceMs / 1000} s`,
    remedy: 'check that the cluster is running and that no firewall blocks the connection',
  };
}

function port(): Promise<Finding> {
  const subject = 'port';
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) =>
      resolve({
        subject,
        state: 'bad',
        text: `cannot listen on 127.0.0.1: ${error.message}`,
        remedy: 'allow your user to listen on loopback addresses',
      }),
    );
    server.listen(0, '127.0.0.1', () =>
      server.close(() => resolve({ subject, state: 'good', text: 'can listen on 127.0.0.1' })),
    );
  });
}

function folder({ cwd }: CliEnvironment): Finding {
  try {
    accessSync(cwd, constants.W_OK);
    return { subject: 'folder', state: 'good', text: `${cwd} is writable` };
  } catch {
    const text = `${cwd} is not writable, but the cluster keeps its state there, in .kubewright`;
    return { subject: 'folder', state: 'bad', text, remedy: 'change to a writable folder' };
  }
}

function project({ cwd }: CliEnvironment): Finding {
  const found = findProject(cwd);
  if (found) return { subject: 'project', state: 'good', text: `${found.name} in ${found.root}` };
  return {
    subject: 'project',
    state: 'note',
    text: 'no project in this folder',
    remedy: 'run kubewright init to create a project',
  };
}
