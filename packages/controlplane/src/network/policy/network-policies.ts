import { Namespace, Pod } from '@kubewright/apimachinery/core/v1';
import { NetworkPolicy } from '@kubewright/apimachinery/networking/v1';
import {
  type ControllerDefinition,
  enqueueForObject,
  enqueueMapped,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import {
  hasPeer,
  type PolicyPod,
  type PolicyWorld,
  policyPodOf,
  selects,
  selectsNamespaces,
  trafficOf,
} from './pod-traffic.ts';
import type { PolicyTable } from './policy-table.ts';
import type { TrafficRules } from './traffic-rules.ts';

/** Options for {@link networkPolicies}. */
export interface NetworkPoliciesOptions {
  readonly table: PolicyTable;
  /** Restricts the traffic of the pod with this UID to these rules. Without rules, the pod is not restricted. */
  readonly restrict: (podUid: string, rules: TrafficRules) => Promise<void>;
  /** A pod that represents the name server, which has no Pod object. */
  readonly dns: PolicyPod | undefined;
}

/**
 * Request name that stands for all pods of the request's namespace. Without a namespace, it stands for all pods with
 * policies that select namespaces.
 */
const allPods = '*';

/**
 * Returns the controller that enforces NetworkPolicies pod by pod. If a pod's labels or address change, the controller
 * also updates the pods whose policies have that pod as a peer. After any other change to a pod, only the pod's own
 * rules are checked.
 */
export function networkPolicies(options: NetworkPoliciesOptions): ControllerDefinition {
  const enforcement = new Enforcement(options);
  return requestController({
    name: 'network-policies',
    for: Pod,
    watches: [
      watch(Pod, enqueueForObject()),
      watch(
        NetworkPolicy,
        enqueueMapped<NetworkPolicy>(({ namespace }) => [{ namespace, name: allPods }]),
      ),
      watch<Namespace>(Namespace, (event, { enqueue }) => {
        const isSame =
          event.type === 'update' && JSON.stringify(event.old.labels) === JSON.stringify(event.object.labels);
        if (!isSame) enqueue({ name: allPods });
      }),
    ],
    sources: [{ name: 'dependent pods', start: async ({ enqueue }) => enforcement.start(enqueue) }],
    reconcile: async ({ namespace = '', name }, { cache }) => {
      if (name !== allPods) await enforcement.update({ namespace, name }, cache);
      else if (namespace !== '') enforcement.enqueueNamespace(namespace, cache);
      else enforcement.enqueueSelectingNamespaces(cache);
    },
  });
}

type Cache = RequestContext['cache'];
interface PodKey {
  readonly namespace: string;
  readonly name: string;
}

class Enforcement {
  readonly #options: NetworkPoliciesOptions;
  /** Pods as of their last reconcile. */
  readonly #known = new Map<string, PolicyPod>();
  #enqueue: (key: PodKey) => void = () => undefined;

  constructor(options: NetworkPoliciesOptions) {
    this.#options = options;
  }

  /** Sets the queue for pods that are affected by another pod. */
  start(enqueue: (key: PodKey) => void): void {
    this.#enqueue = enqueue;
  }

  /**
   * Updates a pod's rules. If the pod's address or labels have changed, also queues the pods that have it as a peer.
   */
  async update(key: PodKey, cache: Cache): Promise<void> {
    const { table, restrict } = this.#options;
    const path = `${key.namespace}/${key.name}`;
    const stored = cache.lister(Pod).get(key);
    const pod = stored && policyPodOf(stored);
    const known = this.#known.get(path);
    if (known && known.ip !== pod?.ip) table.delete(known.ip);
    if (stored && pod) {
      const rules = trafficOf(pod, this.#world(cache));
      table.set(pod.ip, rules);
      await restrict(stored.metadata.uid, rules);
      this.#known.set(path, pod);
    } else this.#known.delete(path);
    if (JSON.stringify(known) !== JSON.stringify(pod)) this.#enqueueDependents([known, pod], cache);
  }

  enqueueNamespace(namespace: string, cache: Cache): void {
    for (const { name } of cache.lister(Pod).views({ namespace })) this.#enqueue({ namespace, name });
  }

  enqueueSelectingNamespaces(cache: Cache): void {
    const policies = cache.lister(NetworkPolicy).list().filter(selectsNamespaces);
    const namespaces = new Set(policies.map(({ metadata }) => metadata.namespace));
    for (const namespace of namespaces) this.enqueueNamespace(namespace, cache);
  }

  /** Queues the pods whose policies have a pod as a peer. `states`: the pod before and after a change. */
  #enqueueDependents(states: readonly (PolicyPod | undefined)[], cache: Cache): void {
    const policies = cache.lister(NetworkPolicy).list();
    if (policies.length === 0) return;
    const namespaces = cache.lister(Namespace).list();
    for (const policy of policies) {
      if (!states.some((pod) => pod && hasPeer(policy, { pod, namespaces }))) continue;
      const { namespace } = policy.metadata;
      for (const { name, labels } of cache.lister(Pod).views({ namespace })) {
        if (selects(policy, { labels })) this.#enqueue({ namespace, name });
      }
    }
  }

  #world(cache: Cache): PolicyWorld {
    const { dns } = this.#options;
    return {
      policies: (namespace) => cache.lister(NetworkPolicy).list({ namespace }),
      namespaces: () => cache.lister(Namespace).list(),
      pods: (namespace) => [
        ...cache
          .lister(Pod)
          .list({ namespace })
          .flatMap((pod) => policyPodOf(pod) ?? []),
        ...(dns?.namespace === namespace ? [dns] : []),
      ],
    };
  }
}
