import type { PodInfo } from './pod-info.ts';

/** A group of pods to count by node. */
export interface CountedPods {
  /** Identifies the group: equal groups have equal keys. */
  readonly key: string;
  /** The namespaces to look in; undefined for all. */
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly matches: (pod: PodInfo) => boolean;
}

interface Counter {
  readonly group: CountedPods;
  readonly byNode: Map<string, number>;
}

const everyNamespace = '';

/**
 * Counts groups of pods by node. The first query of a group counts its pods; after that, each pod added or removed adjusts the
 * count, so scheduling the next pod of a Deployment does not scan all pods again. The least recently used groups are dropped.
 */
export class PodCounts {
  readonly #most: number;
  readonly #pods = new Map<string, Map<string, PodInfo>>();
  /** By group key, least recently used first. */
  readonly #counters = new Map<string, Counter>();
  readonly #byNamespace = new Map<string, Set<Counter>>();

  constructor(options: { readonly maxGroups: number }) {
    this.#most = options.maxGroups;
  }

  add(pod: PodInfo): void {
    const own = this.#pods.get(pod.namespace) ?? new Map<string, PodInfo>();
    this.#pods.set(pod.namespace, own);
    own.set(pod.uid, pod);
    this.#adjust(pod, 1);
  }

  remove(pod: PodInfo): void {
    const own = this.#pods.get(pod.namespace);
    if (!own?.delete(pod.uid)) return;
    if (own.size === 0) this.#pods.delete(pod.namespace);
    this.#adjust(pod, -1);
  }

  /** Returns the number of pods of a group by node name; nodes without such pods have no entry. */
  byNode(group: CountedPods): ReadonlyMap<string, number> {
    const known = this.#counters.get(group.key);
    const counter = known ?? this.#count(group);
    this.#counters.delete(group.key);
    this.#counters.set(group.key, counter);
    if (this.#counters.size > this.#most) this.#forgetOldest();
    return counter.byNode;
  }

  #count(group: CountedPods): Counter {
    const counter: Counter = { group, byNode: new Map() };
    for (const namespace of group.namespaces ?? [everyNamespace]) {
      const counters = this.#byNamespace.get(namespace) ?? new Set();
      this.#byNamespace.set(namespace, counters);
      counters.add(counter);
    }
    for (const namespace of group.namespaces ?? this.#pods.keys()) {
      for (const pod of this.#pods.get(namespace)?.values() ?? []) if (group.matches(pod)) change(counter, pod, 1);
    }
    return counter;
  }

  #forgetOldest(): void {
    const [oldest] = this.#counters;
    if (!oldest) return;
    const [key, counter] = oldest;
    this.#counters.delete(key);
    for (const namespace of counter.group.namespaces ?? [everyNamespace]) {
      const counters = this.#byNamespace.get(namespace);
      counters?.delete(counter);
      if (counters?.size === 0) this.#byNamespace.delete(namespace);
    }
  }

  #adjust(pod: PodInfo, by: 1 | -1): void {
    for (const namespace of [everyNamespace, pod.namespace]) {
      for (const counter of this.#byNamespace.get(namespace) ?? []) {
        if (counter.group.matches(pod)) change(counter, pod, by);
      }
    }
  }
}

function change({ byNode }: Counter, { nodeName }: PodInfo, by: 1 | -1): void {
  const count = (byNode.get(nodeName) ?? 0) + by;
  if (count === 0) byNode.delete(nodeName);
  else byNode.set(nodeName, count);
}
