import type { OnReadOpts, Socket } from 'node:net';
import type { Clock, Random } from '@kubewright/apimachinery';
import { EndpointPicker, type NodeOfClient } from './endpoint-picker.ts';
import type { ServiceFlow } from './policy/policy-table.ts';
import { usableEndpoints } from './service-endpoints.ts';
import type { Route } from './service-routes.ts';
import type { SocketAddress, Sockets } from './sockets.ts';
import { TcpForwarder } from './tcp-forwarder.ts';
import { UdpForwarder } from './udp-forwarder.ts';

/** Options for {@link ServiceProxy}. */
export interface ServiceProxyOptions {
  /** The sockets that reach the addresses of routes and endpoints. */
  readonly sockets: Sockets;
  readonly clock: Clock;
  readonly random: Random;
  readonly nodeOf: NodeOfClient;
  /** Returns false for a connection that a NetworkPolicy forbids. @defaultValue all connections are allowed */
  readonly permits?: ((flow: ServiceFlow) => boolean) | undefined;
}

/** An address of a service at which the proxy cannot listen. */
export interface RouteFault {
  readonly route: Route;
  readonly error: NodeJS.ErrnoException;
}

interface Listener {
  route: Route;
  readonly forwarder: TcpForwarder | UdpForwarder;
}

/**
 * Listens at the addresses of services and forwards connections to their endpoints. An address without usable endpoints refuses
 * connections, as with kube-proxy. Existing TCP connections survive changes.
 */
export class ServiceProxy implements Disposable {
  readonly #options: ServiceProxyOptions;
  readonly #services = new Map<string, Map<string, Listener>>();

  constructor(options: ServiceProxyOptions) {
    this.#options = options;
  }

  /**
   * Replaces the routes of a service; an empty list removes the service. Calls for one service must not overlap. Returns the
   * addresses at which the proxy cannot listen.
   */
  async apply(service: string, routes: readonly Route[]): Promise<readonly RouteFault[]> {
    const listeners = this.#services.get(service) ?? new Map<string, Listener>();
    this.#services.set(service, listeners);
    const wanted = new Map(routes.filter(isUsable).map((route) => [keyOf(route), route]));
    for (const [key, { forwarder }] of listeners) {
      if (wanted.has(key)) continue;
      listeners.delete(key);
      forwarder[Symbol.dispose]();
    }
    const faults: RouteFault[] = [];
    for (const [key, route] of wanted) {
      const present = listeners.get(key);
      if (present) change(present, route);
      else {
        try {
          listeners.set(key, await this.#listen(route));
        } catch (error) {
          // Sockets fail with the system's errors.
          faults.push({ route, error: error as NodeJS.ErrnoException });
        }
      }
    }
    if (listeners.size === 0) this.#services.delete(service);
    return faults;
  }

  [Symbol.dispose](): void {
    for (const listeners of this.#services.values()) {
      for (const { forwarder } of listeners.values()) forwarder[Symbol.dispose]();
    }
    this.#services.clear();
  }

  async #listen(route: Route): Promise<Listener> {
    const { sockets, clock } = this.#options;
    const picker = new EndpointPicker(this.#options);
    // A listener's route changes with its endpoints, so look it up for each connection.
    const late: { listener?: Listener } = {};
    const current = (): Route => late.listener?.route ?? route;
    const { host, port } = route;
    const forwarder =
      route.protocol === 'TCP'
        ? new TcpForwarder({
            server: await sockets.listen({ host, port }),
            open: (client, onread) => this.#connect(current(), { picker, client, onread }),
          })
        : new UdpForwarder({
            socket: await sockets.bind({ host, port }),
            target: (client) => this.#chooseForFlow(current(), { picker, client }),
            open: () => sockets.bind({ host: '0.0.0.0', port: 0 }),
            clock,
          });
    late.listener = { route, forwarder };
    return late.listener;
  }

  /** Connects to the first endpoint that accepts the connection. @throws the last endpoint's error */
  async #connect(
    route: Route,
    options: { readonly picker: EndpointPicker; readonly client: SocketAddress; readonly onread: OnReadOpts },
  ): Promise<Socket> {
    const { picker, client, onread } = options;
    let last: unknown = new Error('the service has no endpoints');
    for (const endpoint of picker.pick(route, client.host)) {
      // Do not try other endpoints: real clusters also choose the endpoint before they filter packets.
      if (!this.#permits(route, { client, endpoint })) throw new Error('a NetworkPolicy forbids the connection');
      try {
        const socket = await this.#options.sockets.connect(endpoint, { onread });
        picker.reached(route, { client: client.host, endpoint });
        return socket;
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  #permits(
    { protocol }: Route,
    { client, endpoint }: { readonly client: SocketAddress; readonly endpoint: SocketAddress },
  ): boolean {
    return this.#options.permits?.({ client: client.host, endpoint, protocol }) ?? true;
  }

  #chooseForFlow(
    route: Route,
    { picker, client }: { readonly picker: EndpointPicker; readonly client: SocketAddress },
  ): SocketAddress | undefined {
    const [endpoint] = picker.pick(route, client.host);
    if (endpoint && !this.#permits(route, { client, endpoint })) return undefined;
    if (endpoint) picker.reached(route, { client: client.host, endpoint });
    return endpoint;
  }
}

function change(listener: Listener, route: Route): void {
  listener.route = route;
  const { forwarder } = listener;
  // Clients stay with an endpoint that is terminating but still serves, as with kube-proxy (1.36) and conntrack.
  if (forwarder instanceof UdpForwarder) forwarder.retain(route.endpoints.filter(({ serving }) => serving));
}

function keyOf({ protocol, host, port }: Route): string {
  return `${protocol} ${host}:${port}`;
}

/** Returns true if at least some clients have an endpoint. */
function isUsable({ endpoints, near }: Route): boolean {
  return usableEndpoints(endpoints, { node: near === 'client' ? undefined : near?.node }).length > 0;
}
