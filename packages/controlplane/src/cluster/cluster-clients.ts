import type { Clock, Random } from '@kubewright/apimachinery';
import type { ApiHandler, Connection } from '@kubewright/apiserver';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import type { BuiltInControllerFactory } from '../controllers/index.ts';
import {
  controllerIdentity,
  controllerManagerIdentity,
  type Identity,
  nodeIdentity,
  serverIdentity,
} from './identities.ts';
import type { NodeLink } from './node-link.ts';
import { SplitIdentityTransport } from './split-identity-transport.ts';

/** Creates in-process clients of the cluster's API server, each with its own identity. */
export class ClusterClients {
  readonly #services: { readonly handle: ApiHandler; readonly clock: Clock; readonly random: Random };

  constructor(services: { readonly handle: ApiHandler; readonly clock: Clock; readonly random: Random }) {
    this.#services = services;
  }

  /** Returns an in-process client that acts as `identity`. */
  as(identity: Identity): KubernetesClient {
    const { clock, random } = this.#services;
    // The user agent determines the field manager, so it must be the same as on a real cluster.
    const userAgent = identity.commonName.replace(/^.*:/, '');
    return new KubernetesClient({ transport: this.#transport(identity), clock, random, userAgent });
  }

  /** Returns the client of a node. */
  forNode(name: string, link: NodeLink): KubernetesClient {
    const { clock, random } = this.#services;
    const transport = link.over(this.#transport(nodeIdentity(name)));
    return new KubernetesClient({ transport, clock, random, userAgent: 'kubelet' });
  }

  /** Returns a client that reads as the controller manager and writes as one controller. */
  forController(
    controller: Pick<BuiltInControllerFactory, 'account' | 'actsAsServer' | 'actsAsManager'>,
  ): KubernetesClient {
    const { account, actsAsServer, actsAsManager } = controller;
    if (actsAsServer) return this.as(serverIdentity);
    if (actsAsManager) return this.as(controllerManagerIdentity);
    const { clock, random } = this.#services;
    const informers = this.#transport(controllerManagerIdentity);
    const actor = this.#transport(controllerIdentity(account));
    const transport = new SplitIdentityTransport({ informers, actor });
    return new KubernetesClient({ transport, clock, random, userAgent: 'kube-controller-manager' });
  }

  #transport(identity: Identity): InProcessTransport<Connection> {
    const connection = { remoteAddress: '127.0.0.1', protocol: 'in-process', clientCertificate: identity } as const;
    return new InProcessTransport<Connection>({ handle: this.#services.handle, connection });
  }
}
