import type { AffinityTerm } from './affinity-term.ts';
import type { PodInfo } from './pod-info.ts';

/** An affinity term, and the number of pods on each node that have it. */
export interface TermUse {
  readonly term: AffinityTerm;
  readonly byNode: ReadonlyMap<string, number>;
}

/** A term that attracts (positive weight) or repels (negative weight) other pods. */
export interface WeightedTermUse extends TermUse {
  readonly weight: number;
}

/** The weight of an existing pod's required affinity terms when nodes are scored for another pod. */
const requiredAffinityWeight = 1;

interface Use extends WeightedTermUse {
  readonly byNode: Map<string, number>;
}

/** The affinity terms of all pods on nodes. Equal terms are stored once, so all replicas of a workload share one entry. */
export class TermIndex {
  readonly #requiredAnti = new Map<string, Use>();
  readonly #scored = new Map<string, Use>();

  /** The required anti-affinity terms. They keep matching pods out of their topology domains. */
  get requiredAnti(): Iterable<TermUse> {
    return this.#requiredAnti.values();
  }

  /** True if any pod has terms that affect scores. */
  get isScored(): boolean {
    return this.#scored.size > 0;
  }

  /** Terms that attract or repel other pods. */
  get scored(): Iterable<WeightedTermUse> {
    return this.#scored.values();
  }

  add(pod: PodInfo): void {
    if (pod.hasAffinity) this.#change(pod, 1);
  }

  remove(pod: PodInfo): void {
    if (pod.hasAffinity) this.#change(pod, -1);
  }

  #change({ terms, nodeName }: PodInfo, by: 1 | -1): void {
    for (const term of terms.requiredAnti) change(this.#requiredAnti, { term, weight: 0, nodeName, by });
    for (const term of terms.required) change(this.#scored, { term, weight: requiredAffinityWeight, nodeName, by });
    for (const term of terms.preferred) change(this.#scored, { term, weight: term.weight, nodeName, by });
    for (const term of terms.preferredAnti) change(this.#scored, { term, weight: -term.weight, nodeName, by });
  }
}

function change(
  uses: Map<string, Use>,
  what: { readonly term: AffinityTerm; readonly weight: number; readonly nodeName: string; readonly by: 1 | -1 },
): void {
  const { term, weight, nodeName, by } = what;
  const key = `${weight} ${term.key}`;
  const use = uses.get(key) ?? { term, weight, byNode: new Map<string, number>() };
  uses.set(key, use);
  const count = (use.byNode.get(nodeName) ?? 0) + by;
  if (count > 0) use.byNode.set(nodeName, count);
  else use.byNode.delete(nodeName);
  if (use.byNode.size === 0) uses.delete(key);
}
