import type { IsolationTools } from './isolated/tools.ts';
import type { Sockets } from './sockets.ts';

/** The network of one node's pods, in which each pod has its own address and ports. */
export interface PodNetwork {
  /** The node's address in this network. */
  readonly nodeIP: string;
  /** Opens sockets in the network of the nodes and pods. */
  readonly sockets: Sockets;
  readonly tools: IsolationTools;
  /** DNS for pods; `undefined` if the cluster has none. */
  readonly dns: PodDns | undefined;
  /** Attaches a pod. Returns the same result if the pod is already attached. */
  attach(podUid: string): Promise<AttachedPod>;
  /** Detaches a pod and frees its address. Idempotent. */
  detach(podUid: string): Promise<void>;
  /** Command prefix that runs a program in the node's own network, for pods with host networking. */
  readonly enterNode: readonly string[];
}

/** A pod in the network. */
export interface AttachedPod {
  readonly ip: string;
  /** Command prefix that runs a program in the pod's network. */
  readonly enter: readonly string[];
}

/** The name server of a cluster. */
export interface PodDns {
  readonly address: string;
  /** `cluster.local` */
  readonly domain: string;
}
