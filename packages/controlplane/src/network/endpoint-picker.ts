import type { Clock, Random } from '@kubewright/apimachinery';
import { type ServiceEndpoint, usableEndpoints } from './service-endpoints.ts';
import type { Route } from './service-routes.ts';

/** Returns the node of a client whose address belongs to a pod or a node; `undefined` for any other client. */
export type NodeOfClient = (address: string) => string | undefined;

/** Maximum number of clients whose endpoint is remembered. */
const maxClients = 4_096;

/** Chooses the endpoints of one route at random. With session affinity, each client keeps its endpoint. */
export class EndpointPicker {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #nodeOf: NodeOfClient;
  /** The last endpoint of each client, least recently used first. */
  readonly #clients = new Map<string, { readonly endpoint: string; readonly untilMs: number }>();

  constructor(options: { readonly clock: Clock; readonly random: Random; readonly nodeOf: NodeOfClient }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#nodeOf = options.nodeOf;
  }

  /**
   * Returns the endpoints for a client, in the order in which to try them.
   *
   * @param client - the client's address.
   */
  pick(route: Route, client: string): readonly ServiceEndpoint[] {
    const { near, affinityMs, admits } = route;
    if (admits && !admits(client)) return [];
    const node = near === 'client' ? this.#nodeOf(client) : near?.node;
    const usable = shuffled(usableEndpoints(route.endpoints, { node }), this.#random);
    if (affinityMs === undefined) return usable;
    const known = this.#clients.get(client);
    const kept = known && known.untilMs > this.#clock.monotonic() ? known.endpoint : undefined;
    return [...usable].sort((a, b) => Number(keyOf(b) === kept) - Number(keyOf(a) === kept));
  }

  /** Remembers the endpoint that a client has reached. */
  reached(route: Route, { client, endpoint }: { readonly client: string; readonly endpoint: ServiceEndpoint }): void {
    if (route.affinityMs === undefined) return;
    this.#clients.delete(client);
    this.#clients.set(client, { endpoint: keyOf(endpoint), untilMs: this.#clock.monotonic() + route.affinityMs });
    if (this.#clients.size > maxClients) this.#clients.delete(this.#clients.keys().next().value ?? '');
  }
}

function keyOf({ host, port }: ServiceEndpoint): string {
  return `${host}:${port}`;
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const rest = [...items];
  return items.map(() => {
    const [item] = rest.splice(Math.floor(random.next() * rest.length), 1);
    // Each call removes one item, so `rest` is never empty here.
    return item as T;
  });
}
