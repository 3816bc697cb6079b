import { type Clock, KubewrightError, type Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { ControllerDefinition, Logger } from '@kubewright/runtime';
import { defaultServiceCidr } from '../kube-apiserver/bootstrap/index.ts';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import type { IsolatedNetwork } from '../network/isolated/isolated-network.ts';
import { LoopbackRange } from '../network/loopback-range.ts';
import type { PodNetwork } from '../network/pod-network.ts';
import { PolicyTable } from '../network/policy/policy-table.ts';
import { hostSockets, type Sockets } from '../network/sockets.ts';
import { nodeName } from './node-name.ts';
import type { Notes } from './state-directory.ts';
import type * as Workers from './workers.ts';

/** The network of pods that run on this machine: this machine's loopback network, or a separate network. */
export type NetworkMode = 'loopback' | 'isolated';

/** Options for {@link ClusterNetwork.open}. */
export interface ClusterNetworkOptions {
  /** Store for the reserved address range: stored Services need the same range at the next start. */
  readonly notes: Notes;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The network of pods; `undefined` if no pods run on this machine, because there is then nothing to route to. */
  readonly mode: NetworkMode | undefined;
  /** Number of nodes. */
  readonly nodes: number;
  /** True if the component `coredns` is selected. Pods get a name server only if they also have their own network. */
  readonly hasDns: boolean;
}

/** The name server of pods, with kubeadm's address and domain. */
const dns = { address: '10.96.0.10', domain: 'cluster.local' };
/** The name server as NetworkPolicies see it: a pod with kubeadm's label. */
const dnsPod = {
  namespace: 'kube-system',
  labels: { 'k8s-app': 'kube-dns' },
  ip: dns.address,
  namedPorts: [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ],
};
/** File that holds the number of the reserved range. */
export const rangeNote = 'network.json';

/** The network of a cluster: its addresses, the routing of services, and the sockets that reach pods. */
export class ClusterNetwork implements AsyncDisposable {
  /** Range of cluster IPs in CIDR notation. */
  readonly serviceCidr: string;
  /** Sockets that reach pods and services. */
  readonly sockets: Sockets;
  readonly #options: ClusterNetworkOptions;
  /** Reserved addresses of this machine, for load balancers. On the loopback network, services use them too. */
  readonly #range: LoopbackRange | undefined;
  readonly #isolated: IsolatedNetwork | undefined;
  readonly #policies = new PolicyTable();
  #proxy: Disposable | undefined;
  #dns: Disposable | undefined;
  #ingresses: Disposable | undefined;
  #disposed: Promise<void> | undefined;

  private constructor(
    options: ClusterNetworkOptions,
    parts: { readonly range?: LoopbackRange | undefined; readonly isolated?: IsolatedNetwork | undefined },
  ) {
    const { range, isolated } = parts;
    this.#options = options;
    this.#range = range;
    this.#isolated = isolated;
    this.sockets = isolated?.sockets ?? hostSockets;
    const isLoopback = range !== undefined && !range.isShared && isolated === undefined;
    this.serviceCidr = isLoopback ? `127.${range.number}.0.0/17` : defaultServiceCidr;
  }

  /**
   * Reserves the addresses. Reuses the addresses of the last start if they are free, because stored services keep their
   * addresses.
   *
   * @throws IsolationError if this machine does not allow an isolated network.
   */
  static async open(options: ClusterNetworkOptions): Promise<ClusterNetwork> {
    const { notes, random, mode, log, nodes, hasDns } = options;
    if (mode === undefined) return new ClusterNetwork(options, {});
    const isolated = mode === 'isolated' ? await startIsolated({ nodes, dns: hasDns ? dns : undefined }) : undefined;
    const { range: preferred } = notes.readNote<{ readonly range: number }>(rangeNote) ?? {};
    let range: LoopbackRange;
    try {
      range = await LoopbackRange.reserve(random, preferred);
    } catch (error) {
      await isolated?.[Symbol.asyncDispose]();
      throw error;
    }
    try {
      if (range.number !== preferred) notes.writeNote(rangeNote, { range: range.number });
    } catch (error) {
      if (!(error instanceof KubewrightError)) throw error;
      log.warn('cannot save the range of service addresses; the next start will use a different one', {
        event: clusterLogEvents.serviceRangeNotSaved,
        error,
      });
    }
    return new ClusterNetwork(options, { range, isolated });
  }

  /** Addresses of this machine at which pods reach the API server. */
  get serverHosts(): readonly string[] {
    return this.serviceCidr === defaultServiceCidr ? [] : [this.#range?.nodeIP ?? ''];
  }

  /** Opens connections to pods for the API server; `undefined` if ordinary sockets reach the pods. */
  get dial(): Sockets['connect'] | undefined {
    return this.#isolated && ((address) => this.sockets.connect(address));
  }

  /** True if this network routes services. */
  get isRouted(): boolean {
    return this.#range !== undefined;
  }

  /** Returns the network of a node's pods, by the node's number from 0; `undefined` on the loopback network. */
  forNode(index: number): PodNetwork | undefined {
    return this.#isolated?.forNode(index);
  }

  /** Returns the controller that routes services. Each call creates a new proxy and closes the previous proxy. */
  proxy({ kubeProxy, ServiceProxy }: typeof Workers): ReturnType<typeof kubeProxy> {
    const { clock, random } = this.#options;
    this.#proxy?.[Symbol.dispose]();
    // On the loopback network, all clients have the same address, so the node is unknown.
    const nodeOf = (address: string): string | undefined => {
      const index = this.#isolated?.nodeIndexOf(address);
      return index === undefined ? undefined : nodeName(index);
    };
    const permits: PolicyTable['permits'] = (flow) => this.#policies.permits(flow);
    const proxy = new ServiceProxy({ sockets: this.sockets, clock, random, nodeOf, permits });
    this.#proxy = proxy;
    return kubeProxy(proxy);
  }

  /** True if NetworkPolicies are enforced. */
  get enforcesPolicies(): boolean {
    return this.#isolated?.canRestrict ?? false;
  }

  /** Returns the controller that enforces NetworkPolicies, or the controller that reports that they are not enforced. */
  policies({ networkPolicies, unenforcedPolicies }: typeof Workers): ControllerDefinition {
    const isolated = this.#isolated;
    if (!isolated?.canRestrict) return unenforcedPolicies({ needsNft: isolated !== undefined });
    return networkPolicies({
      table: this.#policies,
      restrict: (podUid, rules) => isolated.restrict(podUid, rules),
      dns: this.hasDns ? dnsPod : undefined,
    });
  }

  /**
   * Returns the controller that serves Ingresses. Each call creates a new proxy, which listens only if there is an Ingress, and
   * closes the previous proxy.
   */
  ingress({ ingressDefinition, IngressListeners }: typeof Workers): ControllerDefinition {
    this.#ingresses?.[Symbol.dispose]();
    const { clock, random } = this.#options;
    const { sockets } = this;
    const { isShared, number, nodeIP } = this.#range ?? { isShared: true, number: 0, nodeIP: '127.0.0.1' };
    const host = isShared ? nodeIP : `127.${number}.255.254`;
    const listeners = new IngressListeners({ host, sockets, clock });
    this.#ingresses = listeners;
    const { table, tls } = listeners;
    return ingressDefinition({ table, tls, random, listen: (...needed) => listeners.listen(...needed) });
  }

  /** True if pods have a name server. */
  get hasDns(): boolean {
    return this.#isolated !== undefined && this.#options.hasDns;
  }

  /**
   * Starts the name server, which stops with this network. Returns a function that creates the controller for DNS
   * records.
   */
  async startDns(client: KubernetesClient, workers: typeof Workers): Promise<() => ControllerDefinition> {
    const { clusterDns, createDnsService, DnsServer, machineUpstream, ServiceZone } = workers;
    await createDnsService(client, dns.address);
    const zone = new ServiceZone(dns.domain);
    const { clock, random } = this.#options;
    const upstream = machineUpstream({ clock, random });
    const { sockets } = this;
    this.#dns = await DnsServer.listen({ host: dns.address, port: 53 }, { zone, upstream, sockets, clock });
    return () => clusterDns(zone);
  }

  /**
   * Returns the address of a load balancer on this machine, built from the reserved range and the last two bytes of the cluster
   * IP.
   */
  balancerAddress(clusterIP: string): string | undefined {
    const [, , third, fourth] = clusterIP.split('.');
    if (this.#range === undefined || this.#range.isShared || fourth === undefined) return undefined;
    // On the loopback network, the first half of the range is for cluster IPs.
    return `127.${this.#range.number}.${this.#isolated ? third : Number(third) | 128}.${fourth}`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  async #dispose(): Promise<void> {
    this.#proxy?.[Symbol.dispose]();
    this.#dns?.[Symbol.dispose]();
    this.#ingresses?.[Symbol.dispose]();
    await this.#isolated?.[Symbol.asyncDispose]();
    await this.#range?.[Symbol.asyncDispose]();
  }
}

/** Loads the isolated network's code only if it is used. */
async function startIsolated(options: Parameters<typeof IsolatedNetwork.start>[0]): Promise<IsolatedNetwork> {
  const { IsolatedNetwork: Network } = await import('../network/isolated/isolated-network.ts');
  return Network.start(options);
}
