import { readFileSync } from 'node:fs';
import { sleep } from '@kubewright/apimachinery';
import type { ErrorText } from '@kubewright/apimachinery/internal';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { shellWord } from '../program/shell-word.ts';
import { exportKubeconfig } from './export-kubeconfig.ts';
import { startCluster } from './start-cluster.ts';
import { type ClusterNote, StateFolder } from './state-folder.ts';

/** Flags of `cluster up`. */
export interface UpOptions {
  readonly background?: boolean | undefined;
  readonly port?: number | undefined;
  readonly nodes?: number | undefined;
  readonly driver?: 'process' | 'simulated' | undefined;
  readonly kubeconfig?: string | undefined;
  readonly allowRootPods?: boolean | undefined;
  readonly allowHostPrograms?: boolean | undefined;
}

/** Time limit for a background cluster to become ready, in milliseconds. */
const patienceMs = 30_000;
const pollMs = 50;

/** Runs the cluster in the foreground until Ctrl-C, or in the background until `cluster down`. */
export function up(context: Context, options: UpOptions): Promise<void> {
  return (options.background ? inBackground : inForeground)(context, options);
}

async function inForeground(context: Context, options: UpOptions): Promise<void> {
  const { surroundings, reporter } = context;
  const folder = new StateFolder(surroundings.cwd);
  await using cluster = await startCluster(surroundings, { folder, settings: options });
  try {
    const note = folder.requireRunning();
    if (cluster.takenPort !== undefined)
      reporter.step('port in use', `${cluster.takenPort}; using another port`, 'bad');
    tell(context, { note, options });
    reporter.text('\nPress Ctrl-C to stop the cluster.\n');
    await stopped(surroundings.signal);
  } finally {
    folder.forget();
  }
  await cluster.stop();
  reporter.step('cluster stopped');
}

/** Resolves when the user asks the program to stop. */
export function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function inBackground(context: Context, options: UpOptions): Promise<void> {
  const { surroundings, reporter } = context;
  const { program, env, clock, signal } = surroundings;
  const folder = new StateFolder(surroundings.cwd);
  const { running } = folder;
  if (running) {
    reporter.text('the cluster is already running\n');
    return tell(context, { note: running, options });
  }
  folder.make();
  const flags = [
    ...(options.port === undefined ? [] : ['--port', String(options.port)]),
    ...(options.nodes === undefined ? [] : ['--nodes', String(options.nodes)]),
    ...(options.driver === undefined ? [] : ['--driver', options.driver]),
    ...(options.allowRootPods ? ['--allow-root-pods'] : []),
    ...(options.allowHostPrograms ? ['--allow-host-programs'] : []),
  ];
  const logFrom = logOf(folder).length;
  const child = surroundings.spawn([...program, 'cluster', 'up', '--json', ...flags], {
    cwd: folder.base,
    env,
    logFile: folder.logFile,
    detached: true,
  });
  let exitCode: number | undefined;
  void child.ended.then((code) => {
    exitCode = code;
  });
  for (const end = clock.monotonic() + patienceMs; exitCode === undefined && clock.monotonic() < end; ) {
    const note = folder.running;
    if (note) return tell(context, { note, options });
    await sleep(clock, { ms: pollMs, signal });
  }
  if (exitCode === undefined) child.kill('SIGTERM');
  throw notStarted(folder, logOf(folder).slice(logFrom));
}

function logOf(folder: StateFolder): string {
  try {
    return readFileSync(folder.logFile, 'utf8');
  } catch {
    // No cluster has been started here before.
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
        ? `its log ${folder.logFile} ends with:\n${log.slice(-2_000) || '(empty)'}`
        : `${what}${why === undefined ? '' : `: ${why}`}`,
    remedy: remedy ?? 'start it in the foreground for more output: kubewright cluster up',
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

function tell({ reporter, surroundings }: Context, parts: { note: ClusterNote; options: UpOptions }): void {
  const { note, options } = parts;
  const { kubeconfig: file } = options;
  const kubeconfig =
    file === undefined ? note.kubeconfig : exportKubeconfig(note.kubeconfig, { file, cwd: surroundings.cwd });
  reporter.result(
    { cluster: { ...note, kubeconfig } },
    `✓ cluster ready        ${note.url}\n\n  export KUBECONFIG=${shellWord(kubeconfig)}\n  kubectl get nodes\n`,
  );
}
