import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import type { IsolationTools } from '../../network/isolated/tools.ts';
import { MountPathError } from '../process/isolated/root-plan.ts';
import { type MountShell, MountShellError } from './mount-shell.ts';
import type { OverlayRoot } from './overlay-root.ts';

/** File descriptor on which a container's first process reports its pid and then waits. */
const controlStream = 4;

/**
 * Script that starts a container's first process: it reports its pid on this machine and waits until its root is ready.
 * Then it closes the control stream and clears the variable that marks the container's processes on this machine.
 */
export const waitForRoot: string = `read -r __kw_pid __kw_rest < /proc/self/stat
echo "$__kw_pid" >&${controlStream}
read -r __kw_rest <&${controlStream} || exit 1
exec 3>&- ${controlStream}>&-
unset __kw_pid __kw_rest KUBEWRIGHT_CONTAINER`;

/** Mounts everything and switches all processes in the namespaces to the container's root, with this machine's root at /proc. */
const setUp = [
  'set -e',
  '{ echo "$3" > /proc/sys/kernel/hostname || hostname "$3"; } 2>/dev/null || :',
  '"$4" -c -n -i -a -T "$2"',
  'cd "$1"',
  'exec "$5" . proc',
].join('; ');

/** Options for {@link startInit}. */
export interface ContainerInitOptions {
  readonly tools: IsolationTools;
  readonly hostname: string;
  /** Command prefix that runs a program in the pod's network, with permission to mount. */
  readonly enter: readonly string[];
  /** Pid of a process whose pid namespace the container joins. @defaultValue a new pid namespace */
  readonly target?: number | undefined;
  /** Starts the first process with this command line. The process's fifth stream must be a pipe. */
  readonly start: (words: readonly string[]) => ChildProcess;
  /**
   * Command line of the first process: a shell of this machine that becomes the container's user and runs {@link waitForRoot}.
   */
  readonly init: readonly string[];
  /** Called with the first process's pid before the container's program starts. Throws to stop the container. */
  readonly beforeStart: (pid: number) => void;
  /** Prepares the container's root while its first process starts. */
  readonly makeRoot: () => Promise<OverlayRoot>;
  readonly shell: Pick<MountShell, 'run'>;
}

/** A started container. */
export interface StartedContainer {
  /** Waits for the container's main process and exits with its result. */
  readonly child: ChildProcess & { readonly pid: number };
  /** Pid of the container's main process. */
  readonly pid: number;
}

/**
 * Starts a container: creates its namespaces, mounts its root from outside, and lets its program start. Once the container's
 * files are its root, no program of this machine runs in it except the waiting shell and the program that unmounts the old root.
 *
 * @throws MountPathError if something cannot be mounted
 */
export async function startInit(options: ContainerInitOptions): Promise<StartedContainer> {
  const { tools, hostname, enter, target, start, init, beforeStart, shell } = options;
  const namespaces = ['--mount', '--uts', '--ipc'];
  const words =
    target === undefined
      ? [tools.unshare, ...namespaces, '--pid', '--fork', '--', ...init]
      : [tools.nsenter, `--pid=/proc/${target}/ns/pid`, '--', tools.unshare, ...namespaces, '--', ...init];
  const child = start(within(enter, words));
  const report = reportedPid(child);
  // Handled below, unless the root cannot be prepared.
  report.catch(() => undefined);
  try {
    using root = await options.makeRoot();
    const pid = await report;
    const prefix = enter.length === 0 ? [tools.nsenter] : enter;
    const joins = ['mount', 'pid', 'uts', 'ipc'].map((name) => `--${name}=/proc/${pid}/ns/${fileOf(name)}`);
    const parts = [root.folder, root.table, hostname, tools.mount, tools.pivotRoot];
    // Until this machine's files are unmounted, they cover the container's /proc, and `umount` exists only there.
    const old = [`--mount=/proc/${pid}/ns/mnt`, `--root=/proc/${pid}/root/proc`];
    await mounted(
      shell.run(
        [...prefix, ...joins, '--', tools.sh, '-c', setUp, 'sh', ...parts],
        [...prefix, ...old, '--', tools.umount, '-c', '-n', '-i', '-l', '/'],
      ),
    );
    root.check(`/proc/${pid}/root`);
    beforeStart(pid);
    controlOf(child)?.end('go\n');
    // The process has reported, so it has started.
    return { child: child as StartedContainer['child'], pid };
  } catch (error) {
    kill(child);
    throw error;
  }
}

/**
 * Returns the command line that runs a command in namespaces. `enter` is the prefix that joins them; it is empty for this
 * process's own namespaces.
 */
export function within(enter: readonly string[], words: readonly string[]): readonly string[] {
  return enter.length === 0 ? words : [...enter, '--', ...words];
}

function controlOf(child: ChildProcess): Duplex | undefined {
  // Node implements a pipe as a socket, which is open in both directions.
  return (child.stdio as readonly (Duplex | null | undefined)[])[controlStream] ?? undefined;
}

/** Waits for the first process's report. @throws MountPathError if the process ends instead */
function reportedPid(child: ChildProcess): Promise<number> {
  const what = 'cannot create the namespaces of the container';
  const errors: string[] = [];
  const keep = (chunk: unknown): void => void errors.push(String(chunk));
  child.stderr?.on('data', keep);
  return new Promise<number>((resolve, reject) => {
    const control = controlOf(child);
    control?.on('error', () => undefined);
    child.once('error', (cause) => reject(new MountPathError({ what, why: cause.message }, { cause })));
    child.once('close', () => reject(new MountPathError({ what, why: errors.join('').trim() })));
    if (control) createInterface({ input: control }).once('line', (line) => resolve(Number(line)));
  }).finally(() => child.stderr?.off('data', keep));
}

/** @throws MountPathError if a program fails */
async function mounted(run: Promise<void>): Promise<void> {
  try {
    await run;
  } catch (cause) {
    if (!(cause instanceof MountShellError)) throw cause;
    throw new MountPathError({ what: 'cannot mount the files of the container', why: cause.message }, { cause });
  }
}

/** Kills the process that waits for the container, and the first process, which is in the same process group. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

function fileOf(option: string): string {
  return option === 'mount' ? 'mnt' : option;
}
