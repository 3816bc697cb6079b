import { type Kind, type KubernetesObject, LabelSelector, type LabelSelectorObject } from '@kubewright/apimachinery';
import { ReplicaSet, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { ReplicationController } from '@kubewright/apimachinery/core/v1';
import type { Cache } from '@kubewright/runtime';
import type { Labels } from './cluster/affinity-term.ts';
import type { PendingPod } from './cluster/pod-info.ts';

const maxKept = 4_096;

/**
 * Builds selectors that match the pods of the same workload as a given pod, from the selectors of its Services and its
 * controller.
 */
export class WorkloadSelectors {
  /** The selectors built so far, by the Services' selectors and the controller's version. */
  readonly #known = new Map<string, LabelSelector>();

  selector(
    { pod, namespace }: PendingPod,
    sources: { readonly cache: Cache; readonly services: Labels },
  ): LabelSelector {
    const { cache, services } = sources;
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller);
    const kind = owner && kinds[`${owner.apiVersion} ${owner.kind}`];
    const view = kind && cache.lister(kind).view({ namespace, name: owner.name });
    const key = `${JSON.stringify(services)} ${view ? `${view.uid} ${view.resourceVersion}` : ''}`;
    const known = this.#known.get(key);
    if (known) return known;
    const spec = view && (view.object as { readonly spec?: { readonly selector?: LabelSelectorObject | Labels } }).spec;
    const selector = combine(
      services,
      owner?.kind === 'ReplicationController' ? { matchLabels: spec?.selector as Labels } : spec?.selector,
    );
    if (this.#known.size >= maxKept) this.#known.clear();
    this.#known.set(key, selector);
    return selector;
  }
}

const kinds = {
  'v1 ReplicationController': ReplicationController,
  'apps/v1 ReplicaSet': ReplicaSet,
  'apps/v1 StatefulSet': StatefulSet,
} as Readonly<Record<string, Kind<KubernetesObject>>>;

function combine(services: Labels, own: LabelSelectorObject | undefined): LabelSelector {
  const { matchLabels = {}, matchExpressions = [] } = own ?? {};
  const equal = Object.entries(services).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return LabelSelector.ofObject({ matchLabels, matchExpressions: [...matchExpressions, ...equal] });
}
