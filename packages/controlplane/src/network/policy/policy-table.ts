import { type PortProtocol, type Traffic, type TrafficRules, trafficCheck } from './traffic-rules.ts';

/** A connection through a Service. */
export interface ServiceFlow {
  /** Address of the client. */
  readonly client: string;
  readonly endpoint: { readonly host: string; readonly port: number };
  readonly protocol: PortProtocol;
}

interface TrafficChecks {
  readonly ingress: (traffic: Traffic) => boolean;
  readonly egress: (traffic: Traffic) => boolean;
}

/**
 * The rules of restricted pods by pod address. The proxy checks them, because only the proxy knows the addresses of
 * both the client and the endpoint.
 */
export class PolicyTable {
  readonly #checks = new Map<string, TrafficChecks>();

  set(ip: string, { ingress, egress }: TrafficRules): void {
    if (ingress === undefined && egress === undefined) this.#checks.delete(ip);
    else this.#checks.set(ip, { ingress: trafficCheck(ingress), egress: trafficCheck(egress) });
  }

  delete(ip: string): void {
    this.#checks.delete(ip);
  }

  /** True if the client may send to the endpoint, and the endpoint may receive from the client. Nodes may reach every pod. */
  permits({ client, endpoint, protocol }: ServiceFlow): boolean {
    const { host, port } = endpoint;
    // A pod can always reach itself.
    if (client === host) return true;
    if (this.#checks.get(client)?.egress({ peer: host, port, protocol }) === false) return false;
    return !isPod(client) || this.#checks.get(host)?.ingress({ peer: client, port, protocol }) !== false;
  }
}

/** True for the addresses of pods on the isolated network. The first address belongs to the bridge. */
function isPod(address: string): boolean {
  return address.startsWith('10.244.') && address !== '10.244.0.1';
}
