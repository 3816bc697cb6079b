import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import type { Sockets } from '../network/sockets.ts';
import type { Driver } from './driver.ts';
import type { PodSettings } from './pod/pod-host.ts';
import type { ProbeRunner } from './probes/probe-runner.ts';
import type { NodeFacts } from './status/node-description.ts';

/** Options for {@link NodeAgent}. */
export interface NodeAgentOptions {
  readonly facts: NodeFacts;
  /** A client that acts as `system:node:<name>` in the group `system:nodes`. */
  readonly client: KubernetesClient;
  readonly driver: Driver;
  readonly probes: ProbeRunner;
  /** Connects to pods. @defaultValue this machine's sockets */
  readonly sockets?: Sockets | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly settings: Omit<PodSettings, 'allocatable'>;
  /** Folders whose disks the node writes to. @defaultValue none */
  readonly folders?: readonly string[] | undefined;
  /** Control plane components in this process, shown as static pods. @defaultValue none */
  readonly components?: readonly string[] | undefined;
  /**
   * Minimum time for which a pod being deleted stays in the API, in milliseconds. A kubelet checks for ended containers
   * only once a second, and `kubectl delete` relies on this delay: it reads the pod after deleting it, and waits
   * forever if another pod of the same name has already replaced it.
   *
   * @defaultValue 0
   */
  readonly removalDelayMs?: number | undefined;
}
