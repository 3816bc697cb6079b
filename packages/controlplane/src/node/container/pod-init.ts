import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { IsolationTools } from '../../network/isolated/tools.ts';
import { MountPathError } from '../process/isolated/root-plan.ts';
import { type ProcessIdentity, processIdentity } from '../process/process-identity.ts';
import { within } from './container-init.ts';

/**
 * Reports its pid on this machine and waits until this process ends. A shell that waits reaps all children, also those that it inherits, so
 * the orphans of containers do not stay as zombies.
 */
const script = [
  'exec 3<&0',
  'read -r pid _ < /proc/self/stat',
  'echo "$pid"',
  'exec >&-',
  '{ read -r _ <&3; } & exec 3<&-',
  'wait',
].join('\n');

/** The first process of a pid namespace that the containers of a pod share, like the pause container of a kubelet. */
export class PodInit implements Disposable {
  readonly #child: ChildProcess;
  readonly main: ProcessIdentity;

  private constructor(child: ChildProcess, main: ProcessIdentity) {
    this.#child = child;
    this.main = main;
  }

  /**
   * Starts the process.
   *
   * @param options - `enter`: command prefix that enters the user namespace of the pod's containers; `env`: marks the process.
   * @throws MountPathError if the namespace cannot be created
   */
  static async start(options: {
    readonly tools: IsolationTools;
    readonly enter: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  }): Promise<PodInit> {
    const { tools, enter, env } = options;
    const words = within(enter, [tools.unshare, '--pid', '--fork', '--', tools.sh, '-c', script]);
    const [file = '', ...args] = words;
    const child = spawn(file, args, { cwd: '/', env, detached: true, stdio: 'pipe' });
    child.stdin.on('error', () => undefined);
    const what = "cannot create the pid namespace of the pod's containers";
    let errors = '';
    child.stderr.on('data', (chunk: unknown) => {
      errors += String(chunk);
    });
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('error', (cause) => reject(new MountPathError({ what, why: cause.message }, { cause })));
      child.once('close', () => reject(new MountPathError({ what, why: errors.trim() || 'a program ended' })));
      createInterface({ input: child.stdout }).once('line', (line) => resolve(Number(line)));
    });
    child.unref();
    return new PodInit(child, processIdentity(pid));
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends the process. The kernel then kills all other processes in its pid namespace. */
  [Symbol.dispose](): void {
    this.#child.stdin?.destroy();
  }
}
