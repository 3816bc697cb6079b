import type { Clock, Random } from '@kubewright/apimachinery';
import type { ApiServerOptions } from '@kubewright/apiserver';
import type { HttpLimits } from '@kubewright/apiserver/internal';
import type { Logger } from '@kubewright/runtime';
import type { NodeConnector } from '../kube-apiserver/pods/node-connector.ts';
import type { ClusterNetwork, ClusterNetworkOptions } from './cluster-network.ts';
import { type NodeSettings, runLocally } from './cluster-nodes.ts';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import type { ComponentSelection } from './component-selection.ts';
import type { ServerSettings } from './server-settings.ts';

/** Limits of an {@link EmbeddedCluster}. */
export interface ClusterLimits {
  /** @defaultValue the default of each field */
  readonly http?: Partial<HttpLimits> | undefined;
  /** @defaultValue the default of each field */
  readonly requests?: ApiServerOptions['limits'];
  /**
   * Maximum total size of stored objects, in bytes. When it is reached, writes fail as on a full etcd.
   *
   * @defaultValue 512 MiB
   */
  readonly storageBytes?: number | undefined;
}

/**
 * Options for {@link EmbeddedCluster.start}; each has a default.
 *
 * @example
 * ```ts
 * const options: EmbeddedClusterOptions = { directory: '.kubewright', port: 6443, log: prettyLogger({ destination, now: Date.now }) };
 * await using cluster = await EmbeddedCluster.start(options);
 * ```
 */
export interface EmbeddedClusterOptions {
  /**
   * Folder for certificates, the kubeconfig and other state. It is created if needed and locked while the cluster runs.
   *
   * @defaultValue `cluster` in the folder `data`, otherwise a temporary folder, removed when the cluster stops
   */
  readonly directory?: string | undefined;
  /**
   * Folder for objects, which are then kept on disk: a write returns once it is on disk, and the next start with this folder
   * continues with the same objects. It is created if needed and locked while the cluster runs.
   *
   * @defaultValue objects are kept in memory and lost when the cluster stops
   */
  readonly data?: string | undefined;
  /**
   * URLs of etcd servers, which then store the objects. Several clusters on one etcd form one cluster with several API
   * servers. Run the controllers in one of them, and `components: ['apiserver']` in the others. kube-apiserver can also
   * read the stored objects.
   *
   * @defaultValue no etcd
   */
  readonly etcdServers?: readonly string[] | undefined;
  /** The objects to start with, if objects are kept in memory. @defaultValue the objects of a new cluster */
  readonly snapshot?: ClusterSnapshot | undefined;
  /** Port of the API server. @defaultValue the port of the last start if it is free, otherwise any free port */
  readonly port?: number | undefined;
  /** @defaultValue the system clock */
  readonly clock?: Clock | undefined;
  /** @defaultValue system randomness */
  readonly random?: Random | undefined;
  /** @defaultValue nothing is logged */
  readonly log?: Logger | undefined;
  /** Limits on connections, body sizes, concurrent requests, and the total size of stored objects. */
  readonly limits?: ClusterLimits | undefined;
  /** The cluster's nodes. @defaultValue no node: pods stay pending */
  readonly node?: NodeSettings | undefined;
  /** Settings of the API server, like flags of kube-apiserver. @defaultValue the default of each setting */
  readonly server?: ServerSettings | undefined;
  /**
   * The components to run, as a list like kube-controller-manager's `--controllers`: `*` selects all components, `foo`
   * selects foo, `-foo` excludes it. In addition to single controllers, the list can name `controllers` (all
   * controllers), `scheduler`, `kube-proxy`, `coredns`, `metrics` and `nodes`. `['apiserver']` runs only the API
   * server, like Go's envtest. Without `serviceaccount-controller`, pods need no service account.
   *
   * @defaultValue `['*']`: everything, with the nodes of `node`
   */
  readonly components?: readonly string[] | undefined;
  /** Connector to nodes that run outside this cluster, for logs and exec. @defaultValue a connector to the nodes of `node` */
  readonly connector?: NodeConnector | undefined;
}

/** Options with defaults applied. */
export type CompleteOptions = EmbeddedClusterOptions & {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly selection: ComponentSelection;
  readonly network: ClusterNetwork;
};

/** Returns the settings of the cluster's nodes; undefined if it has none. */
export function nodesOf({ node }: EmbeddedClusterOptions, selection: ComponentSelection): NodeSettings | undefined {
  return selection.includes('nodes') ? (node ?? (selection.names('nodes') ? {} : undefined)) : undefined;
}

/** Returns the network settings for the cluster's nodes. `mode` is undefined if no pods run on this machine. */
export function podNetworkOf(
  options: EmbeddedClusterOptions,
  selection: ComponentSelection,
): Pick<ClusterNetworkOptions, 'mode' | 'nodes' | 'hasDns'> {
  const settings = nodesOf(options, selection);
  if (settings === undefined) return { mode: undefined, nodes: 0, hasDns: false };
  const { network = 'loopback', count: nodes = 1 } = settings;
  const hasDns = selection.includes('coredns');
  return { mode: runLocally(settings) ? network : undefined, nodes, hasDns };
}
