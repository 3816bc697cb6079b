import type { Labels } from './affinity-term.ts';

/**
 * Node names by zone. The order takes one node from each zone in turn, so that the first nodes examined are in different zones.
 */
export class NodeTree {
  readonly #zones = new Map<string, Set<string>>();
  readonly #zoneOf = new Map<string, string>();

  get size(): number {
    return this.#zoneOf.size;
  }

  /** Adds a node, or moves it if its zone changed. Returns true if the order changed. */
  put(name: string, labels: Labels): boolean {
    const zone = zoneKey(labels);
    if (this.#zoneOf.get(name) === zone) return false;
    this.remove(name);
    const nodes = this.#zones.get(zone) ?? new Set();
    this.#zones.set(zone, nodes);
    nodes.add(name);
    this.#zoneOf.set(name, zone);
    return true;
  }

  /** Removes a node. Returns true if it was present. */
  remove(name: string): boolean {
    const zone = this.#zoneOf.get(name);
    if (zone === undefined) return false;
    this.#zoneOf.delete(name);
    const nodes = this.#zones.get(zone);
    nodes?.delete(name);
    if (nodes?.size === 0) this.#zones.delete(zone);
    return true;
  }

  /** Returns the names of all nodes in order. */
  order(): readonly string[] {
    const zones = [...this.#zones.values()].map((names) => [...names]);
    const longest = Math.max(0, ...zones.map(({ length }) => length));
    const result: string[] = [];
    for (let i = 0; i < longest; i++) {
      for (const zone of zones) {
        const name = zone[i];
        if (name !== undefined) result.push(name);
      }
    }
    return result;
  }
}

function zoneKey(labels: Labels): string {
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return `${region}:${zone}`;
}
