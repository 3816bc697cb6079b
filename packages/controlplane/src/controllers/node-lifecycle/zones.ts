import type { Stored } from '@kubewright/apimachinery';
import type { Node } from '@kubewright/apimachinery/core/v1';

/** The interval between evictions of two nodes in a zone. */
const intervalMs = 10_000;
/** The interval between evictions in a large zone in which many nodes are not ready. */
const reducedIntervalMs = 100_000;
/** A zone with more nodes than this is large. In smaller zones, no node is evicted while many nodes are not ready. */
const largeZone = 50;
const unhealthyShare = 0.55;

/**
 * The effect of {@link Zones.note} or {@link Zones.forget} on the rate of evictions; `recovered` if no node of the
 * cluster was ready and one is ready now.
 */
export type RateChange = 'none' | 'changed' | 'recovered';

interface Zone {
  readonly ready: Map<string, boolean>;
  readyCount: number;
  /** Monotonic time at which the next node of the zone may be evicted. */
  nextMs: number;
}

/**
 * Limits the rate at which nodes are evicted. If many nodes of a zone fail together, the likely cause is the network,
 * so evictions slow down. If no node of the cluster is ready, evictions stop. Mirrors `handleDisruption` and the rate
 * limits of zones (1.36).
 */
export class Zones {
  readonly #zones = new Map<string, Zone>();
  readonly #zoneOf = new Map<string, string>();

  /** Records whether a node is ready. Returns the effect on the rate of evictions. */
  note(node: Stored<Node>, ready: boolean): RateChange {
    const { name, labels = {} } = node.metadata;
    const excluded = labels['node.kubernetes.io/exclude-disruption'] !== undefined;
    const key = excluded ? undefined : zoneKey(node);
    const disrupted = this.isDisrupted;
    // Moving a node to another zone can change the eviction rate of its old zone.
    const left = this.#zoneOf.get(name) === key ? 'none' : this.forget(name);
    if (key === undefined) return left;
    const zone = this.#zones.get(key) ?? { ready: new Map<string, boolean>(), readyCount: 0, nextMs: 0 };
    this.#zones.set(key, zone);
    this.#zoneOf.set(name, key);
    const was = zone.ready.get(name);
    if (was === ready) return left;
    const intervalBefore = zoneInterval(zone);
    zone.ready.set(name, ready);
    zone.readyCount += (ready ? 1 : 0) - (was ? 1 : 0);
    if (disrupted && !this.isDisrupted) return 'recovered';
    return disrupted !== this.isDisrupted || intervalBefore !== zoneInterval(zone) ? 'changed' : left;
  }

  /** Forgets a deleted node. Returns the effect on the rate of evictions. */
  forget(name: string): RateChange {
    const key = this.#zoneOf.get(name);
    const zone = key === undefined ? undefined : this.#zones.get(key);
    this.#zoneOf.delete(name);
    if (!zone || key === undefined) return 'none';
    const [disrupted, intervalBefore] = [this.isDisrupted, zoneInterval(zone)];
    if (zone.ready.get(name)) zone.readyCount--;
    zone.ready.delete(name);
    if (zone.ready.size === 0) this.#zones.delete(key);
    return disrupted !== this.isDisrupted || intervalBefore !== zoneInterval(zone) ? 'changed' : 'none';
  }

  /** True if no node is ready. In that case, the control plane itself is probably disconnected. */
  get isDisrupted(): boolean {
    return this.#zones.size > 0 && [...this.#zones.values()].every(({ readyCount }) => readyCount === 0);
  }

  /**
   * Requests permission to evict a node's pods. Returns 0 if permission is granted, the time until the next attempt in
   * milliseconds if the zone's rate is used up, or undefined while no eviction is allowed.
   */
  take(node: Node, monotonicMs: number): number | undefined {
    const zone = this.#zones.get(zoneKey(node));
    // The zone has only nodes that are excluded from these limits.
    if (!zone) return 0;
    if (this.isDisrupted) return undefined;
    const interval = zoneInterval(zone);
    if (interval === undefined) return undefined;
    if (monotonicMs < zone.nextMs) return zone.nextMs - monotonicMs;
    zone.nextMs = monotonicMs + interval;
    return 0;
  }
}

/** Returns the interval between evictions in a zone, or undefined if no eviction is allowed. */
function zoneInterval({ ready, readyCount }: Zone): number | undefined {
  const unready = ready.size - readyCount;
  const isPartial = readyCount > 0 && unready > 2 && unready / ready.size >= unhealthyShare;
  if (!isPartial) return intervalMs;
  return ready.size > largeZone ? reducedIntervalMs : undefined;
}

function zoneKey({ metadata }: Node): string {
  const { labels = {} } = metadata;
  const of = (name: string): string =>
    labels[`topology.kubernetes.io/${name}`] ?? labels[`failure-domain.beta.kubernetes.io/${name}`] ?? '';
  return JSON.stringify([of('region'), of('zone')]);
}
