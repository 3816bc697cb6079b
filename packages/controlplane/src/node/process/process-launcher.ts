import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { defined } from '@kubewright/apimachinery/internal';
import type { ContainerUser } from './container-user.ts';
import { type DeferredCommand, withDeferredEnvironment } from './deferred-environment.ts';
import { findCommand, workingFolder } from './find-command.ts';
import { type GrantGroups, groupGranter } from './grant-groups.ts';
import type { IsolatedContainer } from './isolated/pod-isolation.ts';
import type { MarkedProcesses } from './marked-processes.ts';
import { processIdentity } from './process-identity.ts';
import type { ProcessJournal } from './process-journal.ts';
import { onTerminal, terminalSettings } from './terminal.ts';

/** Options for {@link ProcessLauncher}. */
export interface ProcessLauncherOptions {
  readonly journal: ProcessJournal;
  readonly marked: MarkedProcesses;
  readonly platform: NodeJS.Platform;
  /** Program that runs a command on a terminal. @defaultValue no terminals */
  readonly terminalProgram: string | undefined;
  /** @defaultValue `spawn` of `node:child_process` */
  readonly spawn: ((file: string, args: readonly string[], options: SpawnOptions) => ChildProcess) | undefined;
}

/** Settings for starting a container's processes. */
export interface LaunchSettings {
  /** Namespaces of the container. @defaultValue this process's namespaces */
  readonly isolated?: IsolatedContainer;
  /** The working folder, as a path in the container. */
  readonly isolatedFolder?: string;
  /** Pid of a process in the container's namespaces. */
  readonly main?: number;
  /** File descriptor that the command must not inherit. */
  readonly closes?: number;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** PATH used to find commands. */
  readonly path: string;
  readonly user: ContainerUser | undefined;
  readonly mark: string;
  /** @defaultValue pipes */
  readonly stdio?: readonly ('ignore' | 'pipe')[];
}

/** Starts the processes of containers with their users, namespaces and terminals, and records them in the journal. */
export class ProcessLauncher {
  readonly #options: ProcessLauncherOptions;
  readonly #grantGroups: GrantGroups | undefined;
  #killed = false;

  constructor(options: ProcessLauncherOptions) {
    this.#options = options;
    this.#grantGroups = groupGranter(options.platform);
  }

  /** True if processes can get supplementary groups. */
  get canGrantGroups(): boolean {
    return this.#grantGroups !== undefined;
  }

  /** Kills all recorded processes. Afterwards, no more processes can be started. */
  kill(): void {
    this.#killed = true;
    this.#options.journal.killAll();
  }

  /** Starts the main process of a container, in new namespaces if it is isolated. */
  async startMain(command: readonly string[], settings: LaunchSettings): Promise<ChildProcess & { pid: number }> {
    const { isolated, stdio = [], mark } = settings;
    if (!isolated) return started(this.#start(command, settings));
    const env = this.#options.marked.environment(mark);
    const namespaces = await isolated.create({ env, spawn: this.#options.spawn });
    try {
      const joining = { main: namespaces.pid, stdio: [...stdio, 'pipe'] as const, closes: stdio.length };
      const child = await started(this.#start(command, { ...settings, ...joining }));
      // This stream closes when the process has joined the namespaces, or has ended.
      child.stdio[stdio.length]?.on('error', () => undefined).once('close', () => namespaces[Symbol.dispose]());
      return child;
    } catch (error) {
      namespaces[Symbol.dispose]();
      throw error;
    }
  }

  /** Starts another process of a container, for `exec` or a probe. */
  startBeside(
    command: readonly string[],
    { settings, terminal }: { readonly settings: LaunchSettings; readonly terminal: boolean },
  ): ChildProcess {
    const own = terminal ? this.onTerminal(command, settings) : undefined;
    return own ? this.#start(own.command, own.settings) : this.#start(command, settings);
  }

  /**
   * Returns the command and settings for running a command on its own terminal; undefined if this machine cannot create
   * terminals.
   */
  onTerminal(
    [file = '', ...args]: readonly string[],
    { stdio, ...settings }: LaunchSettings,
  ): { readonly command: readonly string[]; readonly settings: LaunchSettings } | undefined {
    const { terminalProgram } = this.#options;
    if (terminalProgram === undefined) return undefined;
    const command = onTerminal(terminalProgram, [this.#find(file, settings), ...args]);
    return { command, settings: { ...settings, ...terminalSettings(settings.env) } };
  }

  #find(command: string, { path, folder, user, isolated }: LaunchSettings): string {
    if (this.#options.platform === 'win32') return command;
    if (!isolated || !command.includes('/')) return findCommand(command, { path, folder, user });
    findCommand(isolated.hostCommand(command), { path, folder, user });
    return command;
  }

  /**
   * Starts a process and records it until it has ended, so it can be killed if this agent crashes.
   *
   * @throws CommandError if the command does not exist.
   */
  #start([command = '', ...args]: readonly string[], settings: LaunchSettings): ChildProcess {
    const { folder, env, user, mark, isolated, stdio = ['pipe', 'pipe', 'pipe'] } = settings;
    if (this.#killed) throw new Error(`cannot start ${command}: this node is shutting down`);
    const { journal, marked } = this.#options;
    const file = this.#find(command, settings);
    const late = this.#startAs([file, ...args], settings);
    const [program = file, ...words] = late?.words ?? [file, ...args];
    const child = (this.#options.spawn ?? spawn)(program, words, {
      cwd: isolated ? '/' : workingFolder(folder, user),
      env: { ...(late ? late.env : env), ...marked.environment(mark) },
      // Create a process group, so that everything in the container can be signaled together.
      detached: true,
      stdio: [...stdio],
      ...(!late && { argv0: command, ...(user && { uid: user.uid, gid: user.gid }) }),
    });
    const { pid } = child;
    if (pid !== undefined) {
      journal.add(processIdentity(pid));
      child.once('exit', () => journal.remove(pid));
    }
    return child;
  }

  /**
   * Wraps a command in the privileged programs that switch its user and namespaces; returns undefined if none are
   * needed.
   */
  #startAs(command: readonly string[], settings: LaunchSettings): DeferredCommand | undefined {
    const { env, user, isolated, isolatedFolder = '/', main = 0, closes } = settings;
    if (isolated) {
      const options = { env, sh: isolated.sh, folder: isolatedFolder, ...defined({ closes }) };
      const late = withDeferredEnvironment(command, options);
      return { ...late, words: [...isolated.join(main), ...late.words] };
    }
    const { groups } = user ?? {};
    if (!user || !groups || !this.#grantGroups) return undefined;
    const late = withDeferredEnvironment(command, { env, sh: '/bin/sh', folder: '.' });
    return { ...late, words: this.#grantGroups(late.words, { ...user, groups }) };
  }
}

async function started(child: ChildProcess): Promise<ChildProcess & { pid: number }> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // A spawned process has a pid.
  return child as ChildProcess & { pid: number };
}
