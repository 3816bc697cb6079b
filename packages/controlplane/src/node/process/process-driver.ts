import { Buffer } from 'node:buffer';
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Clock, Random } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { LoopbackRange } from '../../network/loopback-range.ts';
import type { PodNetwork } from '../../network/pod-network.ts';
import { hostSockets } from '../../network/sockets.ts';
import type {
  ContainerRequest,
  Driver,
  ImageReference,
  PodSandbox,
  PodSandboxRequest,
  RunningContainer,
  Usage,
  UsedContainer,
} from '../driver.ts';
import { archiveCommand } from './archive-command.ts';
import { type ContainerUser, containerUser, nobody } from './container-user.ts';
import { findCommand, workingFolder } from './find-command.ts';
import { type GrantGroups, groupGranter } from './grant-groups.ts';
import { hostPathOf, placeOf, rewriteMountPaths } from './host-path.ts';
import { declaredPorts, HostPortListeners, hostPortsOf } from './host-port-listeners.ts';
import type { ImageMap } from './image-map.ts';
import type { Launch } from './image-program.ts';
import { type IsolatedContainer, PodIsolation } from './isolated/pod-isolation.ts';
import { KnownUser } from './known-user.ts';
import { type LateCommand, withLateEnvironment } from './late-environment.ts';
import type { MarkedProcesses } from './marked-processes.ts';
import { type PodUser, PodUsers, type UidRange } from './pod-users.ts';
import { ProcessContainer } from './process-container.ts';
import { processIdentity } from './process-identity.ts';
import type { ProcessJournal } from './process-journal.ts';
import { processUsages } from './process-usage.ts';
import { ReachablePrograms } from './reachable-programs.ts';
import type { SandboxFolders } from './sandbox-folders.ts';
import { noTerminalProgram, onTerminal, terminalSettings } from './terminal.ts';

/** Options for {@link ProcessDriver}. */
export interface ProcessDriverOptions {
  readonly images: ImageMap;
  readonly addresses: LoopbackRange;
  readonly folders: SandboxFolders;
  readonly journal: ProcessJournal;
  readonly marked: MarkedProcesses;
  readonly clock: Clock;
  readonly random: Random;
  /** Uid of this process; `undefined` on systems without uids. */
  readonly agentUid: number | undefined;
  /** Gives each pod its own network and file system. @defaultValue pods share those of this machine */
  readonly network?: PodNetwork | undefined;
  readonly allowRootPods: boolean;
  /** Users for pods if this process is root; each pod gets its own. @defaultValue all pods run as `nobody` */
  readonly podUids?: UidRange | undefined;
  /** @defaultValue the platform of this process */
  readonly platform?: NodeJS.Platform;
  /** Program that runs a command on a terminal: see {@link findTerminalProgram}. @defaultValue no terminals */
  readonly terminalProgram?: string | undefined;
  /**
   * Runs programs that look up their user in the user database as unknown users. @defaultValue depends on what this machine
   * allows
   */
  readonly knownUser?: KnownUser | undefined;
  /** @defaultValue `spawn` of `node:child_process` */
  readonly spawn?: (file: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
}

/** PATH of commands that are not part of the image: the usual one of images, never this process's own. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Runs each container as a group of local processes: a development tool, not a security boundary. Each pod gets a folder for its
 * containers' roots and volumes, and its own address: in 127/8, or in an isolated network, in which mounts are at their true paths.
 */
export class ProcessDriver implements Driver {
  readonly name = 'process';
  readonly noTerminals: string | undefined;
  readonly #options: ProcessDriverOptions;
  readonly #addresses = new Map<string, string>();
  readonly #running = new Set<ProcessContainer>();
  readonly #programs: ReachablePrograms;
  readonly #platform: NodeJS.Platform;
  readonly #grantGroups: GrantGroups | undefined;
  readonly #users: PodUsers | undefined;
  readonly #knownUser: KnownUser;
  readonly #hostPorts: HostPortListeners;
  readonly #isolation: PodIsolation | undefined;
  #killed = false;

  constructor(options: ProcessDriverOptions) {
    this.#options = options;
    if (options.terminalProgram === undefined) this.noTerminals = noTerminalProgram;
    this.#platform = options.platform ?? process.platform;
    this.#grantGroups = groupGranter(this.#platform);
    const { podUids, agentUid, network, folders } = options;
    const sockets = network?.sockets ?? hostSockets;
    this.#hostPorts = new HostPortListeners({ host: sockets, pods: sockets });
    if (network) {
      const gid = process.getgid?.() ?? 0;
      this.#isolation = new PodIsolation({ network, root: folders.root, uid: agentUid ?? 0, gid });
    }
    this.#users = podUids && agentUid === 0 ? new PodUsers(podUids) : undefined;
    this.#knownUser = options.knownUser ?? new KnownUser(agentUid === 0 ? nobody() : undefined);
    this.#programs = new ReachablePrograms(() => options.folders.programs());
  }

  async preparePod({ uid, hostIP, pod }: PodSandboxRequest): Promise<PodSandbox> {
    const { addresses, folders } = this.#options;
    this.#users?.take(uid, claimsOf(pod as Pod));
    const folder = folders.pod(uid);
    const isolated = await this.#isolation?.attach(uid, { pod: pod as Pod, hostIP });
    if (hostIP !== undefined) return { podIP: hostIP, folder };
    const address = this.#addresses.get(uid) ?? addresses.take();
    this.#addresses.set(uid, address);
    const podIP = isolated ?? address;
    const { network } = this.#options;
    const nodeIP = network?.nodeIP ?? addresses.nodeIP;
    await this.#hostPorts.open(uid, hostPortsOf(pod as Pod, { podIP, nodeIP, shared: network === undefined }));
    if (isolated === undefined) return { podIP, folder };
    const hostAddress = await this.#hostPorts.expose(uid, declaredPorts(pod as Pod, { podIP, address }));
    return { podIP, folder, ...defined({ hostAddress }) };
  }

  async removePod(uid: string): Promise<void> {
    this.#hostPorts.close(uid);
    const address = this.#addresses.get(uid);
    if (address !== undefined) this.#options.addresses.free(address);
    this.#addresses.delete(uid);
    const { marked, journal } = this.#options;
    await marked.end({ mark: `${journal.instance}/${uid}` });
    await this.#isolation?.detach(uid);
    this.#options.folders.removePod(uid);
    // All processes of the pod have ended, and its user owns no files.
    this.#users?.free(uid);
  }

  async pullImage(image: string): Promise<ImageReference> {
    const program = await this.#options.images.resolve(image);
    const imageId = `local://${createHash('sha256').update(program.description).digest('hex')}`;
    return { image, imageId, runs: program.description, ...defined({ command: program.command }) };
  }

  /** Returns the user that a container would run as; volumes are prepared for that user. */
  async userOf({
    podUid,
    image,
    securityContext,
  }: Parameters<NonNullable<Driver['userOf']>>[0]): Promise<ContainerUser | undefined> {
    const { agentUid, allowRootPods } = this.#options;
    const canGrantGroups = this.#grantGroups !== undefined;
    const podUser = await this.#podUser(podUid, image);
    return containerUser(securityContext, { agentUid, allowRoot: allowRootPods, canGrantGroups, podUser });
  }

  /** Returns the pod's own user; undefined for a program that this machine can run only as a known user. */
  async #podUser(podUid: string, image: string): Promise<PodUser | undefined> {
    const user = this.#users?.of(podUid);
    if (!user) return undefined;
    // An unavailable image is reported when it is pulled.
    const program = await this.#options.images.resolve(image).catch(() => undefined);
    return !program?.needsKnownUser || (await this.#knownUser.canImpersonate(user)) ? user : undefined;
  }

  async startContainer(request: ContainerRequest): Promise<RunningContainer> {
    const program = await this.#options.images.resolve(request.image.image);
    const { podUid, securityContext } = request;
    const user = await this.userOf({ podUid, image: request.image.image, securityContext });
    const { folders, clock, random, journal, marked } = this.#options;
    const base = join(folders.pod(request.podUid), request.containerName);
    const root = folders.owned(base, user);
    const socketFolder = folders.owned(join(folders.pod(podUid), socketFolderOf(request.containerName)), user);
    const isolated = this.#isolation?.container(podUid, {
      base,
      podFolder: folders.pod(podUid),
      home: root,
      hostname: request.podName,
      mounts: request.mounts,
      user,
    });
    const rewrite = (text: string): string => (isolated ? text : rewriteMountPaths(text, request.mounts));
    const launched = program.launch({
      // Programs in an isolated network listen on every address, as in an image.
      podIP: isolated ? '0.0.0.0' : request.podIP,
      root,
      socketFolder,
      command: request.command?.map(rewrite),
      args: request.args?.map(rewrite),
      env: request.env,
      reachable: await this.#programs.for(program.programFolders, user),
      hostPath: (path) => hostPathOf(path, request.mounts, root),
      programPath: (path) => isolated?.programPath(path) ?? hostPathOf(path, request.mounts, root),
    });
    const launch = await this.#withKnownUser(launched, user);
    const mark = `${journal.instance}/${request.podUid}/${request.containerName}.${request.attempt}`;
    const settings = { ...this.#settings(request, { launch, user, root, isolated }), mark };
    this.#announce(request, launch.note ?? program.standIn);
    const command = [launch.file, ...launch.args];
    const terminal = request.tty ? this.#onTerminal(command, settings) : undefined;
    if (request.tty && !terminal) this.#announce(request, `this container has no TTY: ${this.noTerminals}`);
    const stdio = [request.stdin === 'none' ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const;
    const child = await (terminal
      ? this.#startMain(terminal.command, terminal.settings)
      : this.#startMain(command, { ...settings, stdio }));
    child.stdout?.on('data', (chunk: Uint8Array) => request.output.write('stdout', chunk));
    child.stderr?.on('data', (chunk: Uint8Array) => request.output.write('stderr', chunk));
    const container = new ProcessContainer({
      id: `process://${random.uid().replaceAll('-', '')}`,
      child,
      stopSignal: signalOf(request.stopSignal) ?? program.stopSignal ?? 'SIGTERM',
      clock,
      stdinOnce: request.stdin === 'once',
      onTerminal: terminal !== undefined,
      journal,
      spawnBeside: (command, options) => {
        const archive = isolated ? undefined : archiveCommand(command, { mounts: request.mounts, folder: `${base}.m` });
        const main = child.pid;
        return this.#startBeside(archive ?? command.map(rewrite), { settings: { ...settings, main }, ...options });
      },
      endAll: (roots) => marked.end({ mark, roots }),
      endsLeftovers: this.#platform === 'linux',
    });
    this.#running.add(container);
    void container.exited.then(() => this.#running.delete(container));
    return container;
  }

  async usages(containers: readonly UsedContainer[]): Promise<ReadonlyMap<string, Usage>> {
    const ids = new Map(
      containers.flatMap(({ running }) =>
        running instanceof ProcessContainer ? [[running.pid, running.containerId] as const] : [],
      ),
    );
    const usages = await processUsages([...ids.keys()]);
    const atMs = this.#options.clock.now();
    return new Map([...usages].map(([pid, usage]) => [ids.get(pid) ?? '', { ...usage, atMs }]));
  }

  kill(): void {
    this.#killed = true;
    this.#options.journal.killAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hostPorts[Symbol.dispose]();
    await Promise.all([...this.#running].map((container) => container.stop({ graceMs: 2_000 })));
    await this.#options.marked.end({ mark: this.#options.journal.instance });
  }

  async #withKnownUser(launch: Launch, user: ContainerUser | undefined): Promise<Launch> {
    if (!launch.knownUser) return launch;
    const { program, variable } = launch.knownUser;
    const words = await this.#knownUser.words(program, user);
    return { ...launch, env: { ...launch.env, [variable]: words.join(' ') } };
  }

  #settings(
    { env, mounts, podName, podIP, workingDir }: ContainerRequest,
    {
      launch,
      user,
      root,
      isolated,
    }: {
      readonly launch: Launch;
      readonly user: ContainerUser | undefined;
      readonly root: string;
      readonly isolated: IsolatedContainer | undefined;
    },
  ): Omit<Settings, 'mark'> {
    const own = [...env].map(([name, value]) => [name, isolated ? value : rewriteMountPaths(value, mounts)]);
    const path = [...launch.path, env.get('PATH') ?? systemPath].join(delimiter);
    // Programs that listen on every address of this machine find the pod's own in POD_IP.
    const home = { HOME: root, HOSTNAME: podName, LANG: 'C.UTF-8', POD_IP: podIP, TMPDIR: root };
    return {
      folder: this.#options.folders.ownedPath(placeOf(workingDir ?? '/', mounts, root), user),
      env: { ...home, ...Object.fromEntries(own), ...launch.env, PATH: path },
      path,
      user,
      ...(isolated && { isolated, isolatedFolder: isolated.programPath(workingDir ?? '/') }),
    };
  }

  /** Starts the main process of a container, in new namespaces if it is isolated. */
  async #startMain(command: readonly string[], settings: Settings): Promise<ChildProcess & { pid: number }> {
    const { isolated, stdio = [], mark } = settings;
    if (!isolated) return started(this.#start(command, settings));
    const env = this.#options.marked.environment(mark);
    const namespaces = await isolated.create({ env, spawn: this.#options.spawn });
    try {
      const joining = { main: namespaces.pid, stdio: [...stdio, 'pipe'] as const, closes: stdio.length };
      const child = await started(this.#start(command, { ...settings, ...joining }));
      // Closed when the process has joined the namespaces, or has ended.
      child.stdio[stdio.length]?.on('error', () => undefined).once('close', () => namespaces[Symbol.dispose]());
      return child;
    } catch (error) {
      namespaces[Symbol.dispose]();
      throw error;
    }
  }

  #startBeside(
    command: readonly string[],
    { settings, terminal }: { readonly settings: Settings; readonly terminal: boolean },
  ): ChildProcess {
    const own = terminal ? this.#onTerminal(command, settings) : undefined;
    return own ? this.#start(own.command, own.settings) : this.#start(command, settings);
  }

  /** Returns how a command starts on its own terminal; undefined if this machine cannot create terminals. */
  #onTerminal(
    [file = '', ...args]: readonly string[],
    { stdio, ...settings }: Settings,
  ): { readonly command: readonly string[]; readonly settings: Settings } | undefined {
    const { terminalProgram } = this.#options;
    if (terminalProgram === undefined) return undefined;
    const command = onTerminal(terminalProgram, [this.#find(file, settings), ...args]);
    return { command, settings: { ...settings, ...terminalSettings(settings.env) } };
  }

  #find(command: string, { path, folder, user, isolated }: Settings): string {
    if (this.#platform === 'win32') return command;
    if (!isolated || !command.includes('/')) return findCommand(command, { path, folder, user });
    findCommand(isolated.hostCommand(command), { path, folder, user });
    return command;
  }

  /**
   * Starts a process and records it until it has ended, so it can be killed if this agent crashes.
   *
   * @throws CommandError if the command does not exist.
   */
  #start([command = '', ...args]: readonly string[], settings: Settings): ChildProcess {
    const { folder, env, user, mark, isolated, stdio = ['pipe', 'pipe', 'pipe'] } = settings;
    if (this.#killed) throw new Error(`cannot start ${command}: this node is shutting down`);
    const { journal, marked } = this.#options;
    const file = this.#find(command, settings);
    const late = this.#startAs([file, ...args], settings);
    const [program = file, ...words] = late?.words ?? [file, ...args];
    const child = (this.#options.spawn ?? spawn)(program, words, {
      cwd: isolated ? '/' : workingFolder(folder, user),
      env: { ...(late ? late.env : env), ...marked.environment(mark) },
      // Its own group, so that everything in the container can be signaled at the same time.
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

  /** Returns how privileged programs start a command; undefined if it needs none. */
  #startAs(command: readonly string[], settings: Settings): LateCommand | undefined {
    const { env, user, isolated, isolatedFolder = '/', main = 0, closes } = settings;
    if (isolated) {
      const options = { env, sh: isolated.sh, folder: isolatedFolder, ...defined({ closes }) };
      const late = withLateEnvironment(command, options);
      return { ...late, words: [...isolated.join(main), ...late.words] };
    }
    const { groups } = user ?? {};
    if (!user || !groups || !this.#grantGroups) return undefined;
    const late = withLateEnvironment(command, { env, sh: '/bin/sh', folder: '.' });
    return { ...late, words: this.#grantGroups(late.words, { ...user, groups }) };
  }

  #announce({ output }: ContainerRequest, note: string | undefined): void {
    if (note !== undefined) output.write('stderr', Buffer.from(`[kubewright] ${note}\n`));
  }
}

/**
 * Returns the name of a container's socket folder: short, because socket paths are limited, and distinct from container names.
 */
function socketFolderOf(containerName: string): string {
  return `.s${createHash('sha256').update(containerName).digest('hex').slice(0, 8)}`;
}

/** Returns the keys of the persistent volume claims that a pod mounts. */
function claimsOf({ metadata, spec }: Pod): readonly string[] {
  const names = (spec?.volumes ?? []).map(
    ({ name, persistentVolumeClaim, ephemeral }) =>
      persistentVolumeClaim?.claimName ?? (ephemeral && `${metadata.name}-${name}`),
  );
  return names.filter((name) => name !== undefined).map((name) => `${metadata.namespace}/${name}`);
}

/** Returns a signal by name; `undefined` if this system does not have it (macOS: real-time signals). */
function signalOf(name: string | undefined): NodeJS.Signals | undefined {
  // The keys of the system's table are signal names.
  return name !== undefined && Object.hasOwn(constants.signals, name) ? (name as NodeJS.Signals) : undefined;
}

/** Settings for starting a container's processes. */
interface Settings {
  /** Namespaces of the container. @defaultValue those of this process */
  readonly isolated?: IsolatedContainer;
  /** The working folder as programs in the container see it. */
  readonly isolatedFolder?: string;
  /** Process in the container's namespaces. */
  readonly main?: number;
  /** Number of the stream that the command must not inherit. */
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

async function started(child: ChildProcess): Promise<ChildProcess & { pid: number }> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // A spawned process has a pid.
  return child as ChildProcess & { pid: number };
}
