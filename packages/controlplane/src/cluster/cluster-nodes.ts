import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import type { ImageStore } from '../images/image-store.ts';
import type { NodeConnector } from '../kube-apiserver/pods/node-connector.ts';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import { AddressPool, inProcessRange } from '../network/address-pool.ts';
import type { PodNetwork } from '../network/pod-network.ts';
import {
  AssignedUsers,
  type ContainerFunction,
  InProcessNetwork,
  inprocNode,
  MemoryFiles,
  processNode,
  simulatedNode,
  virtualNodeIP,
} from '../node/index.ts';
import { VolumeUsers } from '../node/volumes/volume-users.ts';
import { containedClock } from './contained-clock.ts';
import { NodeLink } from './node-link.ts';
import { nodeName } from './node-name.ts';
import { type MadeNode, SupervisedNode } from './supervised-node.ts';

/** Settings for the cluster's nodes. */
export interface NodeSettings {
  /** Number of nodes, named `kubewright`, `kubewright-2`, … @defaultValue 1 */
  readonly count?: number | undefined;
  /**
   * The driver that runs containers: as local processes (`process`), from images of the local store (`container`,
   * experimental, Linux only), as a simulation that runs nothing (`simulated`), or as functions of this process
   * (`inproc`).
   *
   * @defaultValue 'process'
   */
  readonly driver?: 'process' | 'container' | 'simulated' | 'inproc' | undefined;
  /** Folder of the image store for the driver `container`. @defaultValue the store of `kubewright images` */
  readonly imageStore?: string | undefined;
  /**
   * The functions that run as containers of the driver `inproc`, by image. They get the cluster's clock, and a network and files in
   * memory, so a test with a virtual clock is deterministic.
   *
   * @defaultValue none
   */
  readonly programs?: Readonly<Record<string, ContainerFunction>> | undefined;
  /**
   * The network of pods that run on this machine. `loopback`: pods share this machine's network. `isolated`: each pod has
   * its own address and ports, and volumes are at their mount paths (needs Linux with user namespaces, util-linux and
   * iproute2).
   *
   * @defaultValue 'loopback'
   */
  readonly network?: 'loopback' | 'isolated' | undefined;
  /** Allows pods to mount folders on this machine (`hostPath`), as `kubectl debug node/…` does. @defaultValue false */
  readonly allowHostPath?: boolean | undefined;
  /** Allows pods to run as uid 0. @defaultValue false */
  readonly allowRootPods?: boolean | undefined;
  /**
   * User and group ids for pods when the node runs as root; each pod gets its own.
   * @defaultValue 65,536 ids from 1,879,048,192 on, a different range for each node
   */
  readonly podUids?: { readonly first: number; readonly count: number } | undefined;
  /** JSON file that maps further images to programs. It is reread when it changes, and can be created later. */
  readonly imageFile?: string | undefined;
  /** Allows images to be programs on this machine, given by absolute path. @defaultValue false */
  readonly allowHostPrograms?: boolean | undefined;
  /** Returns a folder with PostgreSQL server programs, used if the machine has none. */
  readonly postgresFallback?: (() => Promise<string | undefined>) | undefined;
  /** Environment used to look up programs. @defaultValue the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** True if containers run on this machine, as processes or in rootless containers. */
export function runLocally({ driver = 'process' }: NodeSettings): boolean {
  return driver === 'process' || driver === 'container';
}

/** Dependencies of nodes. */
export interface NodeParts {
  readonly settings: NodeSettings;
  /** Components of the control plane, which the first node shows as static pods. */
  readonly controlPlane: readonly string[];
  /** Returns a client that acts as the named node. */
  readonly client: (nodeName: string, link: NodeLink) => KubernetesClient;
  /** Returns the node's own state folder. */
  readonly directory: (nodeName: string) => string;
  readonly apiServer: { readonly url: string; readonly ca: string };
  /** Returns the network of a node's pods, by the node's number from 0; `undefined` for this machine's network. */
  readonly network: (index: number) => PodNetwork | undefined;
  /** Folder of the cluster's local volumes; undefined if nodes are simulated. */
  readonly volumeRoot: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/**
 * A fault of a node. `partitioned`: the API server and the node cannot reach each other; `stopped`: its agent hangs, as after
 * SIGSTOP; `killed`: its agent and containers ended without notice.
 */
export type NodeFault = 'partitioned' | 'stopped' | 'killed';

/** A running node. */
export interface ClusterNode {
  readonly name: string;
  readonly connector: NodeConnector;
  /** Injects a fault into the node. Resolves to a function that brings the node back. */
  fail(fault: NodeFault): Promise<() => Promise<void>>;
  stop(options: { readonly withinMs: number }): Promise<void>;
}

/**
 * Starts the nodes of a cluster in parallel. Created nodes are passed to `onMade` even if another node fails. A node that fails
 * later is recreated and passed to `onMade` again.
 */
export async function startNodes(parts: NodeParts, onMade: (node: ClusterNode) => void): Promise<void> {
  const { count = 1 } = parts.settings;
  const shared = {
    addresses: new AddressPool(inProcessRange),
    network: new InProcessNetwork(),
    files: new MemoryFiles(),
    assignedUsers: new AssignedUsers(),
    volumeUsers: new VolumeUsers(),
  };
  const started = Array.from({ length: count }, (_, i) => startNode(parts, { index: i, shared, onMade }));
  const results = await Promise.allSettled(started);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** The parts that nodes share. */
interface SharedParts {
  /** Pod addresses of the drivers `simulated` and `inproc`. */
  readonly addresses: AddressPool;
  /** Network and files of the driver `inproc`. */
  readonly network: InProcessNetwork;
  readonly files: MemoryFiles;
  readonly assignedUsers: AssignedUsers;
  readonly volumeUsers: VolumeUsers;
}

async function startNode(
  parts: NodeParts,
  {
    index,
    shared,
    onMade,
  }: { readonly index: number; readonly shared: SharedParts; readonly onMade: (node: ClusterNode) => void },
): Promise<void> {
  const name = nodeName(index);
  const log = index === 0 ? parts.log : parts.log.with({ node: name });
  const clock = containedClock(parts.clock, (error) =>
    log.error('timer callback failed in the node agent', { event: clusterLogEvents.timerFailed, error }),
  );
  const link = new NodeLink();
  const supervise = (): SupervisedNode =>
    new SupervisedNode({
      make: () => makeNode({ ...parts, clock }, { name, index, shared, log, link }),
      onMade: ({ connector }) => onMade({ name, connector, fail, stop: (time) => node.stop(time) }),
      clock,
      log,
    });
  let node = supervise();
  const fail = async (fault: NodeFault): Promise<() => Promise<void>> => {
    if (fault === 'stopped') link.hold();
    else link.cut();
    if (fault === 'killed') await node.stop({ withinMs: 0 });
    return async () => {
      link.restore();
      if (fault !== 'killed') return;
      node = supervise();
      await node.start();
    };
  };
  await node.start();
}

async function makeNode(
  { settings, controlPlane, client, directory, apiServer, network, volumeRoot, clock, random }: NodeParts,
  {
    name,
    index,
    shared,
    log,
    link,
  }: {
    readonly name: string;
    readonly index: number;
    readonly shared: SharedParts;
    readonly log: Logger;
    readonly link: NodeLink;
  },
): Promise<MadeNode> {
  const { count: _count, driver = 'process', network: _mode, programs = {}, imageStore, ...own } = settings;
  const common = { nodeName: name, client: client(name, link), clock, random, log };
  if (driver === 'simulated' || driver === 'inproc') {
    const { addresses, network, files } = shared;
    const inProcess = { ...common, addresses, nodeIP: virtualNodeIP(index) };
    const agent =
      driver === 'simulated' ? simulatedNode(inProcess) : inprocNode({ ...inProcess, network, files, programs });
    return { agent, connector: agent.connector, stop: (time) => agent.stop(time) };
  }
  // Only the first node runs the control plane.
  const components = index === 0 ? controlPlane : [];
  const place = { directory: directory(name), network: network(index), volumeRoot };
  const images = driver === 'container' ? await openStore(imageStore, settings.env ?? process.env) : undefined;
  const { assignedUsers, volumeUsers } = shared;
  const node = await processNode({
    ...own,
    imageStore: images,
    ...common,
    ...place,
    assignedUsers,
    volumeUsers,
    components,
    apiServer,
  });
  return { agent: node.agent, connector: node.connector, stop: (time) => node.stop(time) };
}

/** Loads the image store's code only if it is used. */
async function openStore(
  folder: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ImageStore> {
  const { ImageStore: Store } = await import('../images/image-store.ts');
  return folder === undefined ? Store.ofUser(env) : new Store(folder);
}
