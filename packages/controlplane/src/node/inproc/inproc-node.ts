import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { NodeAgent } from '../node-agent.ts';
import { LocalProbeRunner } from '../probes/local-probe-runner.ts';
import { virtualNode } from '../virtual-node.ts';
import { InprocDriver, type InprocDriverOptions } from './inproc-driver.ts';

/** Options for {@link inprocNode}. */
export interface InprocNodeOptions extends InprocDriverOptions {
  readonly nodeName: string;
  readonly nodeIP: string;
  /** A client that acts as `system:node:<nodeName>` in the group `system:nodes`. */
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Creates a node whose containers are functions of this process. Call `run()` to start it. */
export function inprocNode(options: InprocNodeOptions): NodeAgent {
  const { client, clock, random, log, network } = options;
  return new NodeAgent({
    facts: virtualNode({
      ...options,
      driver: 'inproc',
      description: 'Containers on this node are functions of the process that runs the cluster',
    }),
    client,
    driver: new InprocDriver(options),
    probes: new LocalProbeRunner(clock, network.sockets),
    sockets: network.sockets,
    clock,
    random,
    log,
    settings: {
      restartBackOffMs: 10_000,
      maxRestartBackOffMs: 300_000,
      allowHostPath: false,
      volumeRoot: undefined,
      apiServer: undefined,
    },
  });
}
