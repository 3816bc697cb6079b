import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { type Clock, type KubernetesObject, type Random, sleep } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { pathInRoot } from '../../images/path-in-root.ts';
import type { IsolationTools } from '../../network/isolated/tools.ts';
import type {
  ContainerRequest,
  Driver,
  ImageReference,
  PodSandbox,
  PodSandboxRequest,
  PullRequest,
  RunningContainer,
  Usage,
  UsedContainer,
} from '../driver.ts';
import { ContainerConfigError } from '../env/container-env.ts';
import { containerUsages } from '../process/container-usage.ts';
import type { ContainerUser } from '../process/container-user.ts';
import { withDeferredEnvironment } from '../process/deferred-environment.ts';
import type { MarkedProcesses } from '../process/marked-processes.ts';
import { ProcessContainer } from '../process/process-container.ts';
import { processIdentity } from '../process/process-identity.ts';
import type { ProcessJournal } from '../process/process-journal.ts';
import type { SandboxFolders } from '../process/sandbox-folders.ts';
import { noTerminalProgram, onTerminal, terminalSettings } from '../process/terminal.ts';
import { boundingSet } from './capabilities.ts';
import { checkCommand } from './check-command.ts';
import { startInit, waitForRoot, within } from './container-init.ts';
import { enterContainer } from './enter-container.ts';
import { type GuardedShells, guardedShells } from './guarded-shells.ts';
import { imageUser, userDatabase } from './image-user.ts';
import { inheritedStreams, withoutInherited } from './inherited-streams.ts';
import { MountNamespace } from './mount-namespace.ts';
import { MountShell } from './mount-shell.ts';
import { makeRoot, removeRoot } from './overlay-root.ts';
import { PodInit } from './pod-init.ts';
import type { PodSandboxes } from './pod-sandboxes.ts';
import { type ProcessConfig, processConfig } from './process-config.ts';
import type { StoredImages } from './stored-images.ts';
import { unenforcedSettings } from './unenforced-settings.ts';
import type { ContainerRights, UserNamespace } from './user-namespace.ts';

/** Options for {@link ContainerDriver}. */
export interface ContainerDriverOptions {
  readonly images: StoredImages;
  readonly sandboxes: PodSandboxes;
  readonly folders: SandboxFolders;
  readonly users: UserNamespace;
  readonly tools: IsolationTools;
  /** The method that creates a container's root from an image: `copy` for machines that cannot mount overlays. */
  readonly method: 'overlay' | 'copy';
  readonly journal: ProcessJournal;
  readonly marked: MarkedProcesses;
  readonly clock: Clock;
  readonly random: Random;
  /** Program that runs a command on a terminal: see {@link findTerminalProgram}. @defaultValue no terminals */
  readonly terminalProgram: string | undefined;
  /** Environment variables with the paths of docker's configuration and of certificates. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A container whose processes are being started. */
interface Place {
  readonly request: ContainerRequest;
  readonly config: ProcessConfig;
  readonly rights: ContainerRights;
  /** Command prefix that runs a program in the pod's network, with permission to mount. */
  readonly enter: readonly string[];
}

/** Maximum time for the processes of a killed container to end, in milliseconds. */
const endingMs = 5_000;

/**
 * Runs images of the local store as containers on Linux, without a daemon and without root: each container has its own namespaces, and
 * the image's files are its root.
 */
export class ContainerDriver implements Driver {
  readonly name = 'container';
  readonly hidesVolumes = true;
  readonly noTerminals: string | undefined;
  readonly #options: ContainerDriverOptions;
  readonly #running = new Set<ProcessContainer>();
  /** Pids of the main processes of running containers, by the pod's UID and the container's name. */
  readonly #mains = new Map<string, number>();
  /** First processes of the pods whose containers share a pid namespace, by the pod's UID. */
  readonly #inits = new Map<string, Promise<PodInit>>();
  readonly #shell: MountShell;
  readonly #inherited: readonly number[] = inheritedStreams();
  #shells: GuardedShells | undefined;
  readonly #stopping = new AbortController();
  #killed = false;

  constructor(options: ContainerDriverOptions) {
    this.#options = options;
    this.#shell = new MountShell([options.tools.sh]);
    if (options.terminalProgram === undefined) this.noTerminals = noTerminalProgram;
  }

  preparePod(request: PodSandboxRequest): Promise<PodSandbox> {
    return this.#options.sandboxes.prepare(request);
  }

  unenforced(pod: KubernetesObject): readonly string[] {
    // The agent passes only pods.
    return unenforcedSettings(pod as Pod);
  }

  async removePod(uid: string): Promise<void> {
    const { marked, journal, sandboxes, folders } = this.#options;
    const init = await this.#inits.get(uid)?.catch(() => undefined);
    this.#inits.delete(uid);
    init?.[Symbol.dispose]();
    await marked.end({ mark: `${journal.instance}/${uid}` });
    await sandboxes.remove(uid);
    folders.removePod(uid);
  }

  hasImage(image: string): boolean {
    return this.#options.images.has(image);
  }

  isLoaded(image: string): boolean {
    return this.#options.images.isLoaded(image);
  }

  pullImage(image: string, { isPresent, secrets = [] }: PullRequest): Promise<ImageReference> {
    const { images, clock, random, env } = this.#options;
    if (isPresent) return images.resolve(image);
    return images.pull(image, {
      clock,
      random,
      env,
      signal: this.#stopping.signal,
      secrets: secrets.map(({ metadata, type, data = {} }) => ({ name: metadata.name ?? '', type, data })),
    });
  }

  /**
   * Returns the user on this machine, or `undefined` if the agent is not root: the agent's user then owns all files.
   */
  async userOf({
    image,
    securityContext,
  }: Parameters<NonNullable<Driver['userOf']>>[0]): Promise<ContainerUser | undefined> {
    const { firstId } = this.#options.users;
    if (firstId === undefined) return undefined;
    const { uid, gid, groups } = (await this.#rights(image, securityContext)).user;
    return { uid: firstId + uid, gid: firstId + gid, groups: groups.map((id) => firstId + id) };
  }

  async startContainer(request: ContainerRequest): Promise<RunningContainer> {
    const { images, sandboxes, folders, users, method, journal, random, clock, terminalProgram } = this.#options;
    const { podUid, containerName, securityContext, podName, tty, stdin } = request;
    const image = await images.open(request.image.image);
    const rights = await this.#rights(request.image.image, securityContext);
    const config = processConfig(image.config, { ...request, home: rights.user.home });
    const own = sandboxes.enter(podUid);
    const place: Place = { request, config, rights, enter: own ?? users.enter };
    const target = await this.#targetOf(request, place);
    const base = join(folders.pod(podUid), containerName);
    const files = sandboxes.files(podUid, { hostname: podName, mounts: request.mounts });
    const onOwnTerminal = tty && terminalProgram !== undefined;
    const late = withDeferredEnvironment(config.command, {
      env: config.env,
      ...this.#shellsFor(target),
      folder: config.workingDir,
      before: waitForRoot,
    });
    const mark = `${journal.instance}/${podUid}/${containerName}.${request.attempt}`;
    const env = { ...late.env, ...this.#options.marked.environment(mark) };
    const input = stdin === 'none' ? 'ignore' : 'pipe';
    const shared: { namespace?: MountNamespace } = {};
    const { child, pid } = await startInit({
      tools: this.#options.tools,
      hostname: podName,
      enter: place.enter,
      ...defined({ target }),
      init: [...users.become(rights), ...late.words],
      shell: this.#shell,
      makeRoot: () =>
        makeRoot([...files, ...request.mounts], {
          lower: image.root,
          base,
          firstId: users.firstId,
          method,
          readOnly: securityContext.readOnlyRootFilesystem ?? false,
          hasSys: own !== undefined || users.firstId !== undefined,
          workingDir: config.workingDir,
        }),
      start: (words) =>
        onOwnTerminal
          ? this.#spawn(onTerminal(terminalProgram, words), {
              env: { ...env, ...terminalSettings({}).env },
              stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
            })
          : this.#spawn(words, { env, stdio: [input, 'pipe', 'pipe', 'ignore', 'pipe'] }),
      beforeStart: (pid) => {
        this.#check(config.command, { place, pid });
        journal.add(processIdentity(pid));
        // If its first process ends, the kernel kills a container's other processes only in a pid namespace that no container shares.
        if (target !== undefined) shared.namespace = new MountNamespace(pid);
      },
    });
    child.stdout?.on('data', (chunk: Uint8Array) => request.output.write('stdout', chunk));
    child.stderr?.on('data', (chunk: Uint8Array) => request.output.write('stderr', chunk));
    child.once('exit', () => journal.remove(pid));
    const main = processIdentity(pid);
    const container = new ProcessContainer({
      id: `kubewright://${random.uid().replaceAll('-', '')}`,
      child,
      mainPid: pid,
      stopSignal: signalOf(request.stopSignal) ?? signalOf(image.config.config?.StopSignal) ?? 'SIGTERM',
      clock,
      stdinOnce: stdin === 'once',
      onTerminal: onOwnTerminal,
      journal,
      spawnBeside: (command, { terminal }) => this.#startBeside(command, { place, pid, terminal }),
      endAll: async () => {
        await this.#end(child, main.pid);
        shared.namespace?.endAll();
      },
      endsLeftovers: true,
    });
    this.#running.add(container);
    const name = `${podUid}/${containerName}`;
    this.#mains.set(name, pid);
    void container.exited.then(() => {
      shared.namespace?.[Symbol.dispose]();
      this.#running.delete(container);
      if (this.#mains.get(name) === pid) this.#mains.delete(name);
      try {
        removeRoot(base);
      } catch {
        // The container has ended anyway. Its next attempt or the pod's removal deletes the files, or reports the
        // error.
      }
    });
    return container;
  }

  usages(containers: readonly UsedContainer[]): Promise<ReadonlyMap<string, Usage>> {
    return containerUsages(containers, this.#options.clock);
  }

  kill(): void {
    this.#killed = true;
    this.#stopping.abort(new Error('this node is shutting down'));
    this.#options.journal.killAll();
    this.#endInits();
    this.#shell[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { sandboxes, marked, journal, users } = this.#options;
    this.#stopping.abort(new Error('this node is shutting down'));
    sandboxes[Symbol.dispose]();
    await Promise.all([...this.#running].map((container) => container.stop({ graceMs: 2_000 })));
    this.#endInits();
    await marked.end({ mark: journal.instance });
    this.#shell[Symbol.dispose]();
    users[Symbol.dispose]();
  }

  #endInits(): void {
    for (const init of this.#inits.values()) void init.then((each) => each[Symbol.dispose]()).catch(() => undefined);
  }

  async #rights(image: string, securityContext: ContainerRequest['securityContext']): Promise<ContainerRights> {
    const { config, root } = await this.#options.images.open(image);
    const user = imageUser(config, { database: userDatabase(root), wanted: securityContext });
    const { allowPrivilegeEscalation = true } = securityContext;
    return { user, boundingSet: boundingSet(securityContext), noNewPrivileges: !allowPrivilegeEscalation };
  }

  /**
   * Returns a process whose pid namespace a container joins: the first process of its pod, or the main process of the target of an
   * ephemeral container; `undefined` if the container has its own pid namespace.
   *
   * @throws ContainerConfigError as a kubelet does
   */
  async #targetOf(
    { podUid, targetContainerName: name }: ContainerRequest,
    { enter }: { readonly enter: readonly string[] },
  ): Promise<number | undefined> {
    const target = name === undefined ? undefined : this.#mains.get(`${podUid}/${name}`);
    if (name !== undefined && target === undefined) {
      throw new ContainerConfigError({ what: `unable to find target container ${name}` });
    }
    if (!this.#options.sandboxes.sharesProcesses(podUid)) return target;
    return (await this.#initOf(podUid, enter)).main.pid;
  }

  /** Returns the first process of a pod whose containers share a pid namespace, which is started if necessary. */
  async #initOf(podUid: string, enter: readonly string[]): Promise<PodInit> {
    const { tools, journal, marked } = this.#options;
    for (;;) {
      const known = this.#inits.get(podUid);
      if (!known) {
        const started = PodInit.start({ tools, enter, env: marked.environment(`${journal.instance}/${podUid}/.`) });
        this.#inits.set(podUid, started);
        return started;
      }
      const init = await known.catch(() => undefined);
      if (init?.isRunning) return init;
      if (this.#inits.get(podUid) === known) this.#inits.delete(podUid);
    }
  }

  /** Returns the shells that start a container. In a pid namespace of several containers, they are closed to the others. */
  #shellsFor(target: number | undefined): Partial<GuardedShells> & Pick<GuardedShells, 'sh'> {
    const { tools, users, folders } = this.#options;
    // If this process is not root, each container has its own user namespace, which is closed to the others.
    if (target === undefined || users.firstId === undefined) return { sh: tools.sh };
    this.#shells ??= guardedShells(join(folders.root, 'shells'), tools);
    return this.#shells;
  }

  /** Checks that a command can run in the container. @throws CommandError as a container runtime does */
  #check([command = '']: readonly string[], { place, pid }: { readonly place: Place; readonly pid: number }): void {
    const { env, workingDir } = place.config;
    checkCommand(command, { root: `/proc/${pid}/root`, path: env['PATH'] ?? '', workingDir });
  }

  /** Starts another command in the namespaces of a container. */
  #startBeside(
    command: readonly string[],
    { place, pid, terminal }: { readonly place: Place; readonly pid: number; readonly terminal: boolean },
  ): ChildProcess {
    const { users, terminalProgram } = this.#options;
    const { enter, rights, config } = place;
    this.#check(command, { place, pid });
    const root = `/proc/${pid}/root`;
    const { words, env } = enterContainer(command, {
      join: within(enter, users.join(pid, rights)),
      env: config.env,
      workingDir: config.workingDir,
      hasEnv: existsSync(join(root, pathInRoot(root, '/usr/bin/env'))),
    });
    if (!terminal || terminalProgram === undefined) return this.#spawn(words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    const settings = terminalSettings({ TERM: 'xterm', ...env });
    return this.#spawn(onTerminal(terminalProgram, words), settings);
  }

  #spawn(
    [file = '', ...args]: readonly string[],
    { env, stdio }: { readonly env: Readonly<Record<string, string>>; readonly stdio: readonly ('pipe' | 'ignore')[] },
  ): ChildProcess {
    if (this.#killed) throw new Error(`cannot start ${file}: this node is shutting down`);
    const { journal } = this.#options;
    const empty = openSync('/dev/null', 'r+');
    let child: ChildProcess;
    try {
      const streams = [...withoutInherited(stdio, { empty, inherited: this.#inherited })];
      child = spawn(file, args, { cwd: '/', env, stdio: streams, detached: true });
    } finally {
      closeSync(empty);
    }
    const { pid } = child;
    if (pid !== undefined) {
      journal.add(processIdentity(pid));
      child.once('exit', () => journal.remove(pid));
    }
    return child;
  }

  /** Kills a container's first process. The kernel then kills all other processes in its pid namespace. */
  async #end(child: ChildProcess, pid: number): Promise<void> {
    const isRunning = child.exitCode === null && child.signalCode === null;
    if (!isRunning) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    const late = new AbortController();
    await Promise.race([
      ended,
      sleep(this.#options.clock, { ms: endingMs, signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
  }
}

/** Returns a signal by name or number; `undefined` if this system does not have it. */
function signalOf(name: string | undefined): NodeJS.Signals | undefined {
  if (name === undefined) return undefined;
  const found = Object.entries(constants.signals).find(
    ([known, number]) => known === name || known === `SIG${name}` || String(number) === name,
  );
  // The keys of `constants.signals` are signal names.
  return found?.[0] as NodeJS.Signals | undefined;
}
