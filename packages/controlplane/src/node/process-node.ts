import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import type { ImageStore } from '../images/image-store.ts';
import type { NodeConnector } from '../kube-apiserver/pods/node-connector.ts';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import { LoopbackRange } from '../network/loopback-range.ts';
import type { PodNetwork } from '../network/pod-network.ts';
import type { makeContainerDriver } from './container/make-container-driver.ts';
import { makeFolder } from './make-folder.ts';
import { NodeAgent } from './node-agent.ts';
import { nodeFacts } from './node-facts.ts';
import { LocalProbeRunner } from './probes/local-probe-runner.ts';
import type { AssignedUsers } from './process/assigned-users.ts';
import { ImageMap } from './process/image-map.ts';
import type { ImageSource } from './process/image-program.ts';
import { ImageFile } from './process/images/image-file.ts';
import { builtInImages } from './process/images/index.ts';
import { MarkedProcesses } from './process/marked-processes.ts';
import { memoryFileSystem } from './process/memory-file-system.ts';
import { podUidRange, type UidRange } from './process/pod-users.ts';
import { ProcessDriver } from './process/process-driver.ts';
import { ProcessJournal } from './process/process-journal.ts';
import { processTable } from './process/process-table.ts';
import { canReach } from './process/reachable-programs.ts';
import { removeSandboxes, SandboxFolders } from './process/sandbox-folders.ts';
import { forgottenSandboxes } from './process/sandbox-owner.ts';
import { findTerminalProgram } from './process/terminal.ts';
import { NodeFolderError, temporaryFolder, unknownUser, unusable } from './temporary-folder.ts';
import type { VolumeUsers } from './volumes/volume-users.ts';

/** Options for {@link processNode}. */
export interface ProcessNodeOptions {
  readonly nodeName: string;
  /** A client that acts as `system:node:<nodeName>` in the group `system:nodes`. */
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Folder where the node records its running processes. Each node needs its own folder. */
  readonly directory: string;
  /** URL of the API server for pods, and the CA certificate (PEM) for their KUBECONFIG. @defaultValue pods get no KUBECONFIG */
  readonly apiServer?: { readonly url: string; readonly ca: string } | undefined;
  /** Additional images, which take precedence over built-in images of the same name. */
  readonly images?: readonly ImageSource[] | undefined;
  /**
   * JSON file of the user's own images (see `ImageFile` in `process/images`). It is reread when it changes, and does not have to
   * exist.
   *
   * @defaultValue no such file
   */
  readonly imageFile?: string | undefined;
  /** Allows images to be absolute paths of programs on this machine, in pods and in `imageFile`. @defaultValue false */
  readonly allowHostPrograms?: boolean | undefined;
  /** Returns a folder with PostgreSQL programs, used if this machine has none. */
  readonly postgresFallback?: (() => Promise<string | undefined>) | undefined;
  /** Allows containers to run as uid 0 if this process does. @defaultValue false */
  readonly allowRootPods?: boolean | undefined;
  /**
   * User and group ids for pods if this process is root; each pod gets its own.
   *
   * @defaultValue 65,536 ids from 1,879,048,192 on, a different range for each node of the machine; `nobody` for all
   * pods if this process's user namespace maps too few ids
   */
  readonly podUids?: UidRange | undefined;
  /**
   * Users of the cluster's pods and claims. Pass the same table to all nodes of a cluster.
   * @defaultValue a table for this node alone
   */
  readonly assignedUsers?: AssignedUsers | undefined;
  /**
   * Users of the cluster's persistent volumes. Pass the same table to all nodes of a cluster, which can mount the same volumes.
   * @defaultValue a table for this node alone
   */
  readonly volumeUsers?: VolumeUsers | undefined;
  /** Runs the images of this store in containers. @defaultValue containers are local processes */
  readonly imageStore?: ImageStore | undefined;
  /** Gives each pod its own network and file system. @defaultValue pods share this machine's network and file system */
  readonly network?: PodNetwork | undefined;
  /** Allows pods to mount folders on this machine. @defaultValue false */
  readonly allowHostPath?: boolean | undefined;
  /**
   * Folder of the cluster's local volumes; every user that containers run as must be able to enter it. @defaultValue a folder
   * removed with the node
   */
  readonly volumeRoot?: string | undefined;
  /** First and longest backoff before a restart, in milliseconds. @defaultValue 10_000 and 300_000 */
  readonly restartBackOff?: { readonly initialMs: number; readonly maxMs: number } | undefined;
  /** Control plane components to show as static pods. @defaultValue API server, controllers, scheduler */
  readonly components?: readonly string[] | undefined;
  /** Additional capacity, such as extended resources. */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
  /** Parent folder of the containers' folders. @defaultValue the system's folder for temporary files */
  readonly temporary?: string | undefined;
  /** @defaultValue the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A node whose containers are local processes. */
export interface ProcessNode extends AsyncDisposable {
  readonly agent: NodeAgent;
  readonly connector: NodeConnector;
  /** The node's address: 127.x.0.1. */
  readonly nodeIP: string;
  /** Stops all containers and removes their folders within a time limit, even if a part hangs. See {@link NodeAgent.stop}. */
  stop(options?: { readonly withinMs?: number }): Promise<void>;
}

const removalDelayMs = 750;
/** The components shown by default. There is no etcd: state is kept in the process. */
const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

const tooLong = 'TMPDIR is too long for container socket paths; using /tmp instead';
const sharedAddress =
  '127.0.0.1 is the only loopback address on this system: all pods share it, so their ports can conflict';

/**
 * Creates a node that runs containers as local processes, after cleaning up after an earlier run. The node does not run
 * until you call `agent.run()`. Disposing it stops all containers and removes their folders. This is a development
 * tool, not a security boundary.
 *
 * @throws AddressError if no loopback range is free, NodeFolderError if a folder cannot be used.
 */
export async function processNode(options: ProcessNodeOptions): Promise<ProcessNode> {
  const { random, log } = options;
  const directory = resolve(options.directory);
  makeOwn(directory);
  const marked = new MarkedProcesses(processTable(process.platform));
  const instance = random.uid().replaceAll('-', '');
  const late: { agent?: NodeAgent } = {};
  const onFault = (error: unknown): void => {
    log.warn('cannot update the list of running processes', { event: clusterLogEvents.processesNotSaved, error });
    late.agent?.noteFault(error);
  };
  const journal = new ProcessJournal(join(directory, 'processes.json'), { instance, marked, onFault });
  const note = join(directory, 'sandbox.json');
  const temporary =
    options.temporary ??
    temporaryFolder({
      onTooLong: (folder) => log.warn(tooLong, { event: clusterLogEvents.temporaryFolderTooLong, folder }),
    });
  try {
    sweep({ journal, marked, note, temporary, log });
  } catch (cause) {
    throw notesUnusable(directory, cause);
  }
  const addresses = await LoopbackRange.reserve(random);
  if (addresses.isShared) log.warn(sharedAddress, { event: clusterLogEvents.addressesShared });
  const folders = await makeSandboxes(addresses, { temporary, instance, note });
  const inMemory = memoryFolders(instance);
  const free = async (): Promise<void> => {
    await addresses[Symbol.asyncDispose]();
    folders.remove();
    inMemory?.remove();
    rmSync(note, { force: true });
  };
  try {
    const driver = await makeDriver(options, { addresses, folders, journal, marked });
    const nodeIP = options.network?.nodeIP ?? addresses.nodeIP;
    const agent = makeAgent(options, { driver, nodeIP, folders, memoryRoot: inMemory?.root, directory });
    late.agent = agent;
    return startedNode(agent, { nodeIP, free });
  } catch (error) {
    await free();
    throw error;
  }
}

type LocalDriver = ProcessDriver | Awaited<ReturnType<typeof makeContainerDriver>>;

interface NodeParts {
  readonly addresses: LoopbackRange;
  readonly folders: SandboxFolders;
  readonly journal: ProcessJournal;
  readonly marked: MarkedProcesses;
}

/** Creates the driver: it runs real containers if the node has an image store, otherwise programs on this machine. */
async function makeDriver(options: ProcessNodeOptions, parts: NodeParts): Promise<LocalDriver> {
  const { clock, random, network, imageFile, allowHostPrograms = false } = options;
  const env = options.env ?? process.env;
  const { platform, execPath, version } = process;
  const { postgresFallback } = options;
  const isForAll = process.getuid?.() === 0 ? (path: string) => canReach(path, unknownUser) : undefined;
  const programs = { env, platform, execPath, version, postgresFallback, isForAll };
  const builtIn = [...builtInImages(programs), ...(options.images ?? [])];
  const terminalProgram = findTerminalProgram({ platform, path: env['PATH'] ?? '' });
  const file = imageFile === undefined ? undefined : new ImageFile(imageFile, { allowHostPrograms, builtIn });
  const common = { ...parts, clock, random, network, terminalProgram };
  if (options.imageStore) return containers(options.imageStore, { ...common, env });
  return new ProcessDriver({
    ...common,
    images: new ImageMap(builtIn, { file, allowHostPrograms }),
    agentUid: process.getuid?.(),
    allowRootPods: options.allowRootPods ?? false,
    podUids: podUidRange(parts.addresses.number, { chosen: options.podUids }),
    assignedUsers: options.assignedUsers,
  });
}

function makeAgent(
  options: ProcessNodeOptions,
  parts: {
    readonly driver: LocalDriver;
    readonly nodeIP: string;
    readonly folders: SandboxFolders;
    readonly memoryRoot: string | undefined;
    readonly directory: string;
  },
): NodeAgent {
  const { clock, random, log, client, network } = options;
  const { driver, nodeIP, folders, memoryRoot, directory } = parts;
  const { initialMs, maxMs } = options.restartBackOff ?? { initialMs: 10_000, maxMs: 300_000 };
  return new NodeAgent({
    facts: nodeFacts(options.nodeName, {
      nodeIP,
      capacity: options.capacity ?? {},
      random,
      isShared: network === undefined,
      driver: driver.name,
    }),
    client,
    driver,
    probes: new LocalProbeRunner(clock, network?.sockets),
    sockets: network?.sockets,
    clock,
    random,
    log,
    settings: {
      restartBackOffMs: initialMs,
      maxRestartBackOffMs: maxMs,
      allowHostPath: options.allowHostPath ?? false,
      volumeRoot: options.volumeRoot ?? folders.volumes(),
      memoryRoot,
      volumeUsers: options.volumeUsers,
      // Pods with their own file system find the API server as in any cluster.
      apiServer: network || options.imageStore ? undefined : options.apiServer,
    },
    folders: [folders.root, directory],
    components: options.components ?? components,
    removalDelayMs,
  });
}

function startedNode(
  agent: NodeAgent,
  { nodeIP, free }: { readonly nodeIP: string; readonly free: () => Promise<void> },
): ProcessNode {
  let stopped: Promise<void> | undefined;
  const end = (time?: { readonly withinMs?: number }): Promise<void> => agent.stop(time).finally(free);
  const stop = (time?: { readonly withinMs?: number }): Promise<void> => {
    stopped ??= end(time);
    return stopped;
  };
  return { agent, connector: agent.connector, nodeIP, stop, [Symbol.asyncDispose]: () => stop() };
}

/** Loads the container driver's code only if it is used. */
async function containers(images: ImageStore, parts: Omit<Parameters<typeof makeContainerDriver>[0], 'images'>) {
  const { makeContainerDriver } = await import('./container/make-container-driver.ts');
  return makeContainerDriver({ ...parts, images });
}

/** Creates the folder of all containers and records its path. Releases the addresses if that fails. */
async function makeSandboxes(
  addresses: LoopbackRange,
  { temporary, instance, note }: { readonly temporary: string; readonly instance: string; readonly note: string },
): Promise<SandboxFolders> {
  try {
    const folders = new SandboxFolders(temporary, instance);
    writeFileSync(note, JSON.stringify({ root: folders.root }), { mode: 0o600 });
    return folders;
  } catch (cause) {
    await addresses[Symbol.asyncDispose]();
    throw unusable(temporary, cause);
  }
}

/** Creates the folder for volumes in memory, after removing those that earlier runs left behind. */
function memoryFolders(instance: string): SandboxFolders | undefined {
  const memory = memoryFileSystem();
  if (memory === undefined) return undefined;
  try {
    for (const { root } of forgottenSandboxes(memory)) removeSandboxes(root);
    return new SandboxFolders(memory, instance);
  } catch {
    // Without write access, the volumes are on disk.
    return undefined;
  }
}

/** Creates the node's folder, which only the agent can read. Containers have their folders elsewhere. */
function makeOwn(directory: string): void {
  try {
    makeFolder(directory, 0o700);
    // Also fixes a folder created by an older version.
    chmodSync(directory, 0o700);
  } catch (cause) {
    throw notesUnusable(directory, cause);
  }
}

function notesUnusable(directory: string, cause: unknown): NodeFolderError {
  const instead = 'start the cluster in another folder';
  return new NodeFolderError(`the node cannot store its state in ${directory}`, { path: directory, instead, cause });
}

/** Kills the processes and removes the folders that an earlier run left behind. */
function sweep(parts: {
  readonly journal: ProcessJournal;
  readonly marked: MarkedProcesses;
  readonly note: string;
  readonly temporary: string;
  readonly log: Logger;
}): void {
  const { journal, marked, note, temporary, log } = parts;
  const ended = journal.sweep();
  if (ended > 0)
    log.info('stopped containers left over from an earlier run', {
      event: clusterLogEvents.containersLeftOver,
      count: ended,
    });
  for (const { root, instance } of forgottenSandboxes(temporary)) {
    marked.endNow({ mark: instance });
    removeSandboxes(root);
  }
  try {
    const { root } = JSON.parse(readFileSync(note, 'utf8')) as { readonly root?: unknown };
    if (typeof root === 'string') removeSandboxes(root);
  } catch {
    // The note is missing, or truncated by a crash: no leftovers are known.
  }
}
