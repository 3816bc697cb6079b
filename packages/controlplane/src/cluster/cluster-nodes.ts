import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import type { NodeConnector } from '../kube-apiserver/pods/node-connector.ts';
import { processNode, simulatedNode } from '../node/index.ts';
import { containedClock } from './contained-clock.ts';
import { type MadeNode, SupervisedNode } from './supervised-node.ts';

/** Settings for the cluster's nodes. */
export interface NodeSettings {
  /** Number of nodes, named `kubewright`, `kubewright-2`, … @defaultValue 1 */
  readonly count?: number | undefined;
  /** How containers run: as local processes, or simulated without running anything. @defaultValue 'process' */
  readonly driver?: 'process' | 'simulated' | undefined;
  /** Allows pods to run as uid 0. @defaultValue false */
  readonly allowRootPods?: boolean | undefined;
  /**
   * User and group ids for pods when the node runs as root; each pod gets its own.
   * @defaultValue 65,536 ids from 1,879,048,192 on, a different range for each node
   */
  readonly podUids?: { readonly first: number; readonly count: number } | undefined;
  /** JSON file that maps further images to programs. It is reread when it changes, and may be created later. */
  readonly imageFile?: string | undefined;
  /** Allows images to be programs of this machine, given by absolute path. @defaultValue false */
  readonly allowHostPrograms?: boolean | undefined;
  /** Returns a folder of PostgreSQL server programs to use if the machine has none. */
  readonly postgresFallback?: (() => Promise<string | undefined>) | undefined;
  /** Environment used to look up programs. @defaultValue that of this process */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Dependencies of nodes. */
export interface NodeParts {
  readonly settings: NodeSettings;
  /** Returns a client that acts as the named node. */
  readonly client: (nodeName: string) => KubernetesClient;
  /** Returns the node's own state folder. */
  readonly directory: (nodeName: string) => string;
  readonly apiServer: { readonly url: string; readonly ca: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A running node. */
export interface ClusterNode {
  readonly name: string;
  readonly connector: NodeConnector;
  stop(options: { readonly withinMs: number }): Promise<void>;
}

/**
 * Starts the nodes of a cluster in parallel. Created nodes are passed to `onMade` even if another node fails. A node that fails
 * later is recreated and passed to `onMade` again.
 */
export async function startNodes(parts: NodeParts, onMade: (node: ClusterNode) => void): Promise<void> {
  const { count = 1 } = parts.settings;
  const started = Array.from({ length: count }, (_, i) => startNode(parts, { index: i, onMade }));
  const results = await Promise.allSettled(started);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

async function startNode(
  parts: NodeParts,
  { index, onMade }: { readonly index: number; readonly onMade: (node: ClusterNode) => void },
): Promise<void> {
  const name = index === 0 ? 'kubewright' : `kubewright-${index + 1}`;
  const log = index === 0 ? parts.log : parts.log.with({ node: name });
  const clock = containedClock(parts.clock, (error) => log.error('timer callback failed in the node agent', { error }));
  const node = new SupervisedNode({
    make: () => makeNode({ ...parts, clock }, { name, index, log }),
    onMade: ({ connector }) => onMade({ name, connector, stop: (time) => node.stop(time) }),
    clock,
    log,
  });
  await node.start();
}

async function makeNode(
  { settings, client, directory, apiServer, clock, random }: NodeParts,
  { name, index, log }: { readonly name: string; readonly index: number; readonly log: Logger },
): Promise<MadeNode> {
  const { count: _count, driver = 'process', ...own } = settings;
  const common = { nodeName: name, client: client(name), clock, random, log };
  if (driver === 'simulated') {
    const agent = simulatedNode({
      ...common,
      network: `10.${100 + index}`,
      nodeIP: `10.0.${index >> 8}.${(index & 255) + 1}`,
    });
    return { agent, connector: agent.connector, stop: (time) => agent.stop(time) };
  }
  // Only the first node runs the control plane.
  const components = index === 0 ? undefined : [];
  const node = await processNode({ ...own, ...common, components, directory: directory(name), apiServer });
  return { agent: node.agent, connector: node.connector, stop: (time) => node.stop(time) };
}
