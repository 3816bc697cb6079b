import { AddressPool, isolatedRange } from '../address-pool.ts';
import type { PodDns, PodNetwork } from '../pod-network.ts';
import { nftRuleset } from '../policy/nft-ruleset.ts';
import type { TrafficRules } from '../policy/traffic-rules.ts';
import { hostSockets, type SocketAddress, type Sockets } from '../sockets.ts';
import { IsolationError, NetworkNamespace } from './network-namespace.ts';
import { findTools, type IsolationTools } from './tools.ts';

const gateway = '10.244.0.1';
const services = '10.96.0.0/12';
/** Number of nodes that can have pods: each node gets a range 10.244.n.0/24. */
const maxNodes = 250;

/** Options for {@link IsolatedNetwork.start}. */
export interface IsolatedNetworkOptions {
  /** Number of nodes. */
  readonly nodes: number;
  readonly dns: PodDns | undefined;
}

/** The network of a cluster whose pods have their own addresses and ports, in a namespace on this machine. */
export class IsolatedNetwork implements AsyncDisposable {
  /** Opens sockets: in the namespace for addresses of the cluster, otherwise on this machine. */
  readonly sockets: Sockets;
  readonly #namespace: NetworkNamespace;
  readonly #tools: IsolationTools;
  readonly #dns: PodDns | undefined;
  readonly #nodes = new Map<number, PodNetwork>();
  /** Rules in force by pod UID, as `nft` commands. Pods that were never restricted have no entry. */
  readonly #rulesets = new Map<string, string>();
  /** Addresses of the nodes of attached pods, by pod UID. */
  readonly #nodeOfPod = new Map<string, string>();
  #devices = 0;

  private constructor(
    namespace: NetworkNamespace,
    options: IsolatedNetworkOptions & { readonly tools: IsolationTools },
  ) {
    this.#namespace = namespace;
    this.#tools = options.tools;
    this.#dns = options.dns;
    this.sockets = {
      listen: (address) => this.#of(address).listen(address),
      connect: (address, options) => this.#of(address).connect(address, options),
      bind: (address) => this.#of(address).bind(address),
    };
  }

  /** Starts the network. @throws IsolationError with the reason and the remedy, if this machine does not allow it */
  static async start(options: IsolatedNetworkOptions): Promise<IsolatedNetwork> {
    const what = 'cannot create a network for pods';
    if (process.platform !== 'linux') {
      throw new IsolationError({
        what,
        why: `an isolated network requires Linux, but this system is ${process.platform}`,
        remedy: 'use the loopback network (--network loopback)',
      });
    }
    const found = findTools();
    if ('missing' in found) {
      throw new IsolationError({
        what,
        why: `these programs are not installed: ${found.missing.join(', ')}`,
        remedy: 'install util-linux and iproute2, or use the loopback network (--network loopback)',
      });
    }
    const { tools } = found;
    const nodes = Array.from({ length: Math.min(options.nodes, maxNodes) }, (_, index) => nodeAddress(index));
    const isRoot = process.getuid?.() === 0;
    const namespace = await NetworkNamespace.start({ tools, isRoot, gateway, services, nodes });
    return new IsolatedNetwork(namespace, { ...options, tools });
  }

  /** Returns the network of a node, by the node's number from 0. A recreated node gets the same network. */
  forNode(index: number): PodNetwork {
    const network = this.#nodes.get(index) ?? this.#makeNode(index);
    this.#nodes.set(index, network);
    return network;
  }

  #makeNode(index: number): PodNetwork {
    const namespace = this.#namespace;
    const rulesets = this.#rulesets;
    const nodeOfPod = this.#nodeOfPod;
    const addresses = new AddressPool(isolatedRange(podPrefix(index)));
    const pods = new Map<string, ReturnType<PodNetwork['attach']>>();
    const attach = async (podUid: string) => {
      const ip = addresses.take();
      try {
        return { ip, enter: await namespace.addPod({ key: podUid, device: `kwp${this.#devices++}`, ip }) };
      } catch (error) {
        addresses.free(ip);
        pods.delete(podUid);
        throw error;
      }
    };
    return {
      nodeIP: nodeAddress(index),
      sockets: this.sockets,
      tools: this.#tools,
      dns: this.#dns,
      enterNode: namespace.enterHost(),
      attach(podUid) {
        const attached = pods.get(podUid) ?? attach(podUid);
        pods.set(podUid, attached);
        nodeOfPod.set(podUid, nodeAddress(index));
        return attached;
      },
      async detach(podUid) {
        const attached = await pods.get(podUid)?.catch(() => undefined);
        if (!attached) return;
        pods.delete(podUid);
        rulesets.delete(podUid);
        nodeOfPod.delete(podUid);
        await namespace.removePod(podUid);
        addresses.free(attached.ip);
      },
    };
  }

  /** True if the traffic of pods can be restricted. */
  get canRestrict(): boolean {
    return this.#tools.nft !== undefined;
  }

  /**
   * Restricts the traffic of an attached pod to these rules, unless they are already in force. @throws Error with nft's message
   */
  async restrict(podUid: string, rules: TrafficRules): Promise<void> {
    const { nft } = this.#tools;
    if (nft === undefined) return;
    const node = this.#nodeOfPod.get(podUid);
    // Probes and the proxy of Services connect from the gateway, which all nodes share.
    const nodes = [gateway, ...(node === undefined ? [] : [node])];
    const ruleset = nftRuleset(rules, { nodes, services, dns: this.#dns?.address });
    const isUnrestricted = rules.ingress === undefined && rules.egress === undefined;
    const current = this.#rulesets.get(podUid);
    if (current === ruleset || (current === undefined && isUnrestricted)) return;
    await this.#namespace.filterPod(podUid, { nft, ruleset });
    this.#rulesets.set(podUid, ruleset);
  }

  /** Kills every process in the network. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#namespace[Symbol.asyncDispose]();
  }

  /** Returns the number of the node to which a pod's or a node's address belongs. */
  nodeIndexOf(address: string): number | undefined {
    const [, third, fourth] = /^10\.244\.(\d+)\.(\d+)$/.exec(address) ?? [];
    if (third !== undefined && fourth !== '1') return Number(third);
    const [, last] = /^172\.18\.0\.(\d+)$/.exec(address) ?? [];
    return last === undefined ? undefined : Number(last) - 2;
  }

  #of({ host }: SocketAddress): Sockets {
    return isClusterAddress(host) ? this.#namespace : hostSockets;
  }
}

function nodeAddress(index: number): string {
  return `172.18.0.${index + 2}`;
}

function podPrefix(index: number): string {
  return `10.244.${index % maxNodes}.`;
}

/** True for addresses of pods, services and nodes, and for 0.0.0.0, which stands for all addresses in the pods' network. */
function isClusterAddress(host: string): boolean {
  return /^10\.(244|9[6-9]|10[0-9]|11[01])\.|^172\.18\.|^0\.0\.0\.0$/.test(host);
}
