import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { sleep } from '@kubewright/apimachinery';
import type { ErrorText } from '@kubewright/apimachinery/internal';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { shellWord } from '../program/shell-word.ts';
import { readClusterConfig } from './cluster-config.ts';
import { exportKubeconfig } from './export-kubeconfig.ts';
import { startCluster } from './start-cluster.ts';
import { type ClusterName, type ClusterNote, StateFolder } from './state-folder.ts';

/** Settings of `cluster up` that can also be set in a configuration file. */
export interface UpOptions extends ClusterName {
  readonly background?: boolean | undefined;
  readonly port?: number | undefined;
  readonly data?: string | undefined;
  readonly etcdServers?: string | undefined;
  readonly nodes?: number | undefined;
  readonly driver?: 'process' | 'container' | 'simulated' | undefined;
  readonly network?: 'loopback' | 'isolated' | undefined;
  readonly kubeconfig?: string | undefined;
  readonly allowRootPods?: boolean | undefined;
  readonly allowHostPrograms?: boolean | undefined;
  readonly allowHostPath?: boolean | undefined;
  readonly auditPolicyFile?: string | undefined;
  readonly auditLogPath?: string | undefined;
  readonly components?: string | undefined;
}

/** Flags of `cluster up`. */
export interface UpFlags extends UpOptions {
  /** A configuration file; flags take precedence over it. */
  readonly config?: string | undefined;
}

/** Time limit for a background cluster to become ready, in milliseconds. */
const startTimeoutMs = 30_000;
const pollMs = 50;

/** Runs the cluster in the foreground until Ctrl-C, or in the background until `cluster down`. */
export async function up(context: Context, { config, ...flags }: UpFlags): Promise<void> {
  const options = config === undefined ? flags : { ...readClusterConfig(config, context.environment.cwd), ...flags };
  await (options.background ? inBackground : inForeground)(context, options);
}

async function inForeground(context: Context, options: UpOptions): Promise<void> {
  const { environment, reporter } = context;
  const folder = new StateFolder(environment.cwd, options.name);
  if (options.name !== undefined) folder.make();
  await using cluster = await startCluster(environment, { folder, settings: options });
  try {
    const note = folder.requireRunning();
    if (cluster.takenPort !== undefined)
      reporter.step('port in use', `${cluster.takenPort}; using another port`, 'bad');
    report(context, { note, options });
    reporter.text('\nPress Ctrl-C to stop the cluster.\n');
    await stopped(environment.signal);
  } finally {
    folder.forget();
  }
  await cluster.stop();
  reporter.step('cluster stopped');
}

/** Resolves when the user stops the program. */
export function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function inBackground(context: Context, options: UpOptions): Promise<void> {
  const { environment, reporter } = context;
  const { program, env, clock, signal } = environment;
  const folder = new StateFolder(environment.cwd, options.name);
  const { running } = folder;
  if (running) {
    reporter.text('the cluster is already running\n');
    return report(context, { note: running, options });
  }
  folder.make();
  const flags = [
    ...(options.name === undefined ? [] : ['--name', options.name]),
    ...(options.port === undefined ? [] : ['--port', String(options.port)]),
    ...(options.data === undefined ? [] : ['--data', resolve(environment.cwd, options.data)]),
    ...(options.etcdServers === undefined ? [] : ['--etcd-servers', options.etcdServers]),
    ...(options.nodes === undefined ? [] : ['--nodes', String(options.nodes)]),
    ...(options.driver === undefined ? [] : ['--driver', options.driver]),
    ...(options.network === undefined ? [] : ['--network', options.network]),
    ...(options.allowRootPods ? ['--allow-root-pods'] : []),
    ...(options.allowHostPrograms ? ['--allow-host-programs'] : []),
    ...(options.allowHostPath ? ['--allow-host-path'] : []),
    ...(options.auditPolicyFile === undefined
      ? []
      : ['--audit-policy-file', resolve(environment.cwd, options.auditPolicyFile)]),
    ...(options.auditLogPath === undefined ? [] : ['--audit-log-path', resolve(environment.cwd, options.auditLogPath)]),
    ...(options.components === undefined ? [] : ['--components', options.components]),
  ];
  const logFrom = logOf(folder).length;
  const child = environment.spawn([...program, 'cluster', 'up', '--json', ...flags], {
    cwd: folder.base,
    env,
    logFile: folder.logFile,
    detached: true,
  });
  let exitCode: number | undefined;
  void child.ended.then((code) => {
    exitCode = code;
  });
  for (const end = clock.monotonic() + startTimeoutMs; exitCode === undefined && clock.monotonic() < end; ) {
    const note = folder.running;
    if (note) return report(context, { note, options });
    await sleep(clock, { ms: pollMs, signal });
  }
  if (exitCode === undefined) child.kill('SIGTERM');
  throw notStarted(folder, logOf(folder).slice(logFrom));
}

function logOf(folder: StateFolder): string {
  try {
    return readFileSync(folder.logFile, 'utf8');
  } catch {
    // There is no log: no cluster has been started in this folder.
    return '';
  }
}

/** Reports the error that the cluster itself has logged. */
function notStarted(folder: StateFolder, log: string): CliError {
  const { what, why, remedy } = errorIn(log) ?? {};
  return new CliError('KW7202', {
    what: 'the cluster did not start',
    why:
      what === undefined
        ? `the log ${folder.logFile} ends with:\n${log.slice(-2_000) || '(empty)'}`
        : `${what}${why === undefined ? '' : `: ${why}`}`,
    remedy: remedy ?? 'start the cluster in the foreground to see more output: kubewright cluster up',
  });
}

/** Returns the error record of a command that failed with `--json`; undefined if its output has none. */
function errorIn(log: string): Partial<ErrorText> | undefined {
  const line = log.split('\n').findLast((each) => each.startsWith('{"error":'));
  if (line === undefined) return undefined;
  try {
    return (JSON.parse(line) as { readonly error: Partial<ErrorText> }).error;
  } catch {
    // The process was killed while it wrote the line.
    return undefined;
  }
}

function report({ reporter, environment }: Context, parts: { note: ClusterNote; options: UpOptions }): void {
  const { note, options } = parts;
  const { kubeconfig: file } = options;
  const kubeconfig =
    file === undefined ? note.kubeconfig : exportKubeconfig(note.kubeconfig, { file, cwd: environment.cwd });
  reporter.result(
    { cluster: { ...note, kubeconfig } },
    `✓ cluster ready        ${note.url}\n\n  export KUBECONFIG=${shellWord(kubeconfig)}\n  kubectl get nodes\n`,
  );
}
