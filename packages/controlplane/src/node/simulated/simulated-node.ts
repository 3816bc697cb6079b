import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import type { AddressPool } from '../../network/address-pool.ts';
import { NodeAgent } from '../node-agent.ts';
import { virtualNode } from '../virtual-node.ts';
import { SimulatedDriver } from './simulated-driver.ts';
import { SimulatedProbeRunner } from './simulated-probe-runner.ts';

/** Options for {@link simulatedNode}. */
export interface SimulatedNodeOptions {
  readonly nodeName: string;
  /** A client that acts as `system:node:<nodeName>` in the group `system:nodes`. */
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** @defaultValue 8 CPUs, 32 GiB, 110 pods */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Pod addresses, shared by all nodes of the cluster. */
  readonly addresses: AddressPool;
  readonly nodeIP?: string | undefined;
}

/**
 * Creates a node that only simulates containers, for tests of controllers and for clusters with many nodes. Call
 * `run()` to start it.
 */
export function simulatedNode(options: SimulatedNodeOptions): NodeAgent {
  const { client, clock, random, log, addresses } = options;
  return new NodeAgent({
    facts: virtualNode({
      ...options,
      driver: 'simulated',
      description: 'Containers on this node are simulated; no processes run',
    }),
    client,
    driver: new SimulatedDriver({ clock, random, addresses }),
    probes: new SimulatedProbeRunner(clock),
    clock,
    random,
    log,
    settings: {
      restartBackOffMs: 10_000,
      maxRestartBackOffMs: 300_000,
      allowHostPath: true,
      volumeRoot: undefined,
      apiServer: undefined,
    },
  });
}
