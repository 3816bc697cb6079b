import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
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
import { containerUsages } from './container-usage.ts';
import { type ContainerUser, containerUser, nobody } from './container-user.ts';
import { hostPathOf, placeOf, rewriteMountPaths } from './host-path.ts';
import { declaredPorts, HostPortListeners, hostPortsOf } from './host-port-listeners.ts';
import type { Launch } from './image-program.ts';
import { type IsolatedContainer, PodIsolation } from './isolated/pod-isolation.ts';
import { KnownUser } from './known-user.ts';
import { type PodUser, PodUsers } from './pod-users.ts';
import { ProcessContainer } from './process-container.ts';
import type { ProcessDriverOptions } from './process-driver-options.ts';
import { type LaunchSettings, ProcessLauncher } from './process-launcher.ts';
import { ReachablePrograms } from './reachable-programs.ts';
import { noTerminalProgram } from './terminal.ts';

/** PATH for commands that are not part of the image: the usual PATH of images, never the PATH of this process. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Runs each container as a group of local processes: a development tool, not a security boundary. Each pod gets a
 * folder for its containers' roots and volumes, and its own address in 127/8. In an isolated network, the pod's address
 * belongs to that network, and its mounts are at their own paths.
 */
export class ProcessDriver implements Driver {
  readonly name = 'process';
  readonly noTerminals: string | undefined;
  readonly #options: ProcessDriverOptions;
  readonly #addresses = new Map<string, string>();
  readonly #running = new Set<ProcessContainer>();
  readonly #programs: ReachablePrograms;
  readonly #platform: NodeJS.Platform;
  readonly #launcher: ProcessLauncher;
  readonly #users: PodUsers | undefined;
  readonly #knownUser: KnownUser;
  readonly #hostPorts: HostPortListeners;
  readonly #isolation: PodIsolation | undefined;

  constructor(options: ProcessDriverOptions) {
    this.#options = options;
    if (options.terminalProgram === undefined) this.noTerminals = noTerminalProgram;
    this.#platform = options.platform ?? process.platform;
    const { podUids, assignedUsers, agentUid, network, folders, journal, marked, terminalProgram, spawn } = options;
    this.#launcher = new ProcessLauncher({ journal, marked, platform: this.#platform, terminalProgram, spawn });
    const sockets = network?.sockets ?? hostSockets;
    this.#hostPorts = new HostPortListeners({ host: sockets, pods: sockets, clock: options.clock });
    if (network) {
      const gid = process.getgid?.() ?? 0;
      this.#isolation = new PodIsolation({ network, root: folders.root, uid: agentUid ?? 0, gid });
    }
    this.#users = podUids && agentUid === 0 ? new PodUsers(podUids, assignedUsers) : undefined;
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
    // Now no process runs as the pod's user, and no file belongs to that user.
    this.#users?.free(uid);
  }

  async pullImage(image: string): Promise<ImageReference> {
    const program = await this.#options.images.resolve(image);
    const imageId = `local://${createHash('sha256').update(program.description).digest('hex')}`;
    return { image, imageId, runs: program.description, ...defined({ command: program.command }) };
  }

  /** Returns the user that a container would run as, who must own its volumes. */
  async userOf({
    podUid,
    image,
    securityContext,
  }: Parameters<NonNullable<Driver['userOf']>>[0]): Promise<ContainerUser | undefined> {
    const { agentUid, allowRootPods } = this.#options;
    const { canGrantGroups } = this.#launcher;
    const podUser = await this.#podUser(podUid, image);
    return containerUser(securityContext, { agentUid, allowRoot: allowRootPods, canGrantGroups, podUser });
  }

  /**
   * Returns the user assigned to the pod; undefined if the program can run on this machine only as a user in the user
   * database.
   */
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
    const terminal = request.tty ? this.#launcher.onTerminal(command, settings) : undefined;
    if (request.tty && !terminal) this.#announce(request, `this container has no TTY: ${this.noTerminals}`);
    const stdio = [request.stdin === 'none' ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const;
    const child = await (terminal
      ? this.#launcher.startMain(terminal.command, terminal.settings)
      : this.#launcher.startMain(command, { ...settings, stdio }));
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
        return this.#launcher.startBeside(archive ?? command.map(rewrite), {
          settings: { ...settings, main },
          ...options,
        });
      },
      endAll: (roots) => marked.end({ mark, roots }),
      endsLeftovers: this.#platform === 'linux',
    });
    this.#running.add(container);
    void container.exited.then(() => this.#running.delete(container));
    return container;
  }

  usages(containers: readonly UsedContainer[]): Promise<ReadonlyMap<string, Usage>> {
    return containerUsages(containers, this.#options.clock);
  }

  kill(): void {
    this.#launcher.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hostPorts[Symbol.dispose]();
    await Promise.all([...this.#running].map((container) => container.stop({ graceMs: 2_000 })));
    await this.#options.marked.end({ mark: this.#options.journal.instance });
    this.#users?.[Symbol.dispose]();
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
  ): Omit<LaunchSettings, 'mark'> {
    const own = [...env].map(([name, value]) => [name, isolated ? value : rewriteMountPaths(value, mounts)]);
    const path = [...launch.path, env.get('PATH') ?? systemPath].join(delimiter);
    // POD_IP tells a program the pod's address, so it need not listen on every address of this machine.
    const home = { HOME: root, HOSTNAME: podName, LANG: 'C.UTF-8', POD_IP: podIP, TMPDIR: root };
    return {
      folder: this.#options.folders.ownedPath(placeOf(workingDir ?? '/', mounts, root), user),
      env: { ...home, ...Object.fromEntries(own), ...launch.env, PATH: path },
      path,
      user,
      ...(isolated && { isolated, isolatedFolder: isolated.programPath(workingDir ?? '/') }),
    };
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
  // The keys of `constants.signals` are signal names.
  return name !== undefined && Object.hasOwn(constants.signals, name) ? (name as NodeJS.Signals) : undefined;
}
