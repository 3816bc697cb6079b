import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { IsolationTools } from '../../../network/isolated/tools.ts';
import { type ContainerRoot, linkError, volumesTable } from './container-root.ts';
import { MountPathError } from './root-plan.ts';

/**
 * Shell script that mounts this machine's folders, switches to the container's root, and mounts the volumes last. A
 * container can put any program or library into a volume, so no other program may start with this shell's privileges
 * afterwards.
 */
const setUp = `set -e
{ echo "$3" > /proc/sys/kernel/hostname || hostname "$3"; } 2>/dev/null || :
"$4" -c -n -i -a -T "$2"
cd "$1"
"$5" . run
"$6" -l /run
echo staged
read -r _
"$4" -c -n -i -a -T "$7"
echo ready
read -r _ || :`;

/** Options for {@link ContainerNamespaces.create}. */
export interface ContainerNamespacesOptions {
  readonly tools: IsolationTools;
  readonly hostname: string;
  /** Command prefix that runs a program in the pod's network. */
  readonly enter: readonly string[];
  /** Environment that marks the shell, so a later run can find it if it is left over. */
  readonly env: Readonly<Record<string, string>>;
  /** @defaultValue `spawn` of `node:child_process` */
  readonly spawn?: ((file: string, args: readonly string[], options: SpawnOptions) => ChildProcess) | undefined;
}

/**
 * The mount and UTS namespaces of a container's next attempt. A shell keeps them open until the container's processes have
 * joined.
 */
export class ContainerNamespaces implements Disposable {
  readonly #keeper: ChildProcess;

  private constructor(keeper: ChildProcess) {
    this.#keeper = keeper;
  }

  /** Creates the namespaces. @throws MountPathError if something cannot be mounted */
  static async create(root: ContainerRoot, options: ContainerNamespacesOptions): Promise<ContainerNamespaces> {
    const { tools, hostname, enter, env } = options;
    const { unshare, sh, mount, pivotRoot, umount } = tools;
    const parts = [root.folder, root.table, hostname, mount, pivotRoot, umount, volumesTable];
    const [file = '', ...args] = [...enter, '--', unshare, '--mount', '--uts', '--', sh, '-c', setUp, 'sh', ...parts];
    const keeper = (options.spawn ?? spawn)(file, args, { cwd: '/', env, detached: true, stdio: 'pipe' });
    const namespaces = new ContainerNamespaces(keeper);
    try {
      const reported = reports(keeper);
      await reported('staged');
      for (const { source, stagedAt, mountPath } of root.pinned) {
        if (!source.isSameFile(statSync(`/proc/${keeper.pid}/root${stagedAt}`))) throw linkError(mountPath);
      }
      keeper.stdin?.write('\n');
      await reported('ready');
      return namespaces;
    } catch (error) {
      namespaces[Symbol.dispose]();
      throw error;
    } finally {
      for (const { source } of root.pinned) source[Symbol.dispose]();
    }
  }

  /** Pid of the shell in the namespaces. */
  get pid(): number {
    // The shell has reported, so it has started.
    return this.#keeper.pid ?? 0;
  }

  /** Ends the shell. The namespaces exist as long as other processes are in them. */
  [Symbol.dispose](): void {
    this.#keeper.stdin?.destroy();
    this.#keeper.kill('SIGKILL');
  }
}

/** Returns a function that waits for the shell's next report. @throws MountPathError if the shell ends instead */
function reports(keeper: ChildProcess): (expected: string) => Promise<void> {
  let errors = '';
  keeper.stderr?.on('data', (chunk: unknown) => {
    errors += String(chunk);
  });
  // Ignore write errors: if the shell has ended, waiting for its next report fails.
  keeper.stdin?.on('error', () => undefined);
  const failed = new Promise<never>((_, reject) => {
    const what = 'cannot mount the volumes of the container';
    keeper.once('error', (cause) => reject(new MountPathError({ what, why: cause.message }, { cause })));
    keeper.once('close', () => reject(new MountPathError({ what, why: errors.trim() })));
  });
  failed.catch(() => undefined);
  const lines = keeper.stdout && createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
  return async (expected) => {
    const line = await Promise.race([failed, lines?.next()]);
    // The output ends before the shell's exit is reported.
    if (line?.value !== expected) await failed;
  };
}

/** Returns the nsenter options that join the mount and UTS namespaces of a process. */
export function joinOptions(pid: number): readonly string[] {
  return [`--mount=/proc/${pid}/ns/mnt`, `--uts=/proc/${pid}/ns/uts`];
}
