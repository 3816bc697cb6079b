import type { LabelSelector, Stored } from '@kubewright/apimachinery';
import { Namespace, PersistentVolume, PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '@kubewright/apimachinery/storage/v1';
import type { Cache } from '@kubewright/runtime';
import type { Labels } from './cluster/affinity-term.ts';
import type { PendingPod } from './cluster/pod-info.ts';
import type { ClusterObjects, NamespacedName } from './framework/cluster-view.ts';
import { isPodEnded } from './pod-status.ts';
import { ServiceSelectors } from './service-selectors.ts';
import { AssumedObjects } from './volumes/assumed-objects.ts';
import { WorkloadSelectors } from './workload-selectors.ts';

/** The objects that plugins look up, read from the caches of the scheduler's manager. */
export class CachedObjects implements ClusterObjects {
  readonly assumedVolumes: AssumedObjects<PersistentVolume> = new AssumedObjects<PersistentVolume>();
  readonly assumedClaims: AssumedObjects<PersistentVolumeClaim> = new AssumedObjects<PersistentVolumeClaim>();
  readonly services: ServiceSelectors = new ServiceSelectors();
  readonly #workloads = new WorkloadSelectors();
  #cache: Cache | undefined;

  /** Sets the cache to read from. Until this is called, every lookup finds nothing. */
  use(cache: Cache): void {
    this.#cache = cache;
  }

  claim({ namespace, name }: NamespacedName): Stored<PersistentVolumeClaim> | undefined {
    return this.assumedClaims.current(this.observedClaim({ namespace, name }));
  }

  /** Returns a claim from the cache, ignoring changes that the scheduler has only assumed. */
  observedClaim({ namespace, name }: NamespacedName): Stored<PersistentVolumeClaim> | undefined {
    return this.#cache?.lister(PersistentVolumeClaim).get({ namespace, name });
  }

  volume(name: string): Stored<PersistentVolume> | undefined {
    return name === '' ? undefined : this.assumedVolumes.current(this.observedVolume(name));
  }

  /** Returns a volume from the cache, ignoring changes that the scheduler has only assumed. */
  observedVolume(name: string): Stored<PersistentVolume> | undefined {
    return this.#cache?.lister(PersistentVolume).get({ name });
  }

  volumesOfClass(storageClass: string): readonly Stored<PersistentVolume>[] {
    const found = this.#cache?.lister(PersistentVolume).list({ index: { name: 'storageClass', value: storageClass } });
    return (found ?? []).map((volume) => this.assumedVolumes.current(volume));
  }

  storageClass(name: string): StorageClass | undefined {
    return this.#cache?.lister(StorageClass).get({ name });
  }

  csiNode(name: string): CSINode | undefined {
    return this.#cache?.lister(CSINode).get({ name });
  }

  csiDriver(name: string): CSIDriver | undefined {
    return this.#cache?.lister(CSIDriver).get({ name });
  }

  storageCapacities(): readonly CSIStorageCapacity[] {
    return this.#cache?.lister(CSIStorageCapacity).list() ?? [];
  }

  attachmentsOn(nodeName: string): readonly VolumeAttachment[] {
    return this.#cache?.lister(VolumeAttachment).list({ index: { name: 'nodeName', value: nodeName } }) ?? [];
  }

  namespaceLabels(name: string): Labels {
    return this.#cache?.metadata(Namespace).view({ name })?.labels ?? {};
  }

  // An arrow function, because callers detach it from this object.
  readonly namespacesMatching = (selector: LabelSelector): readonly string[] => {
    const all = this.#cache?.metadata(Namespace).views() ?? [];
    return all.filter(({ labels }) => selector.matches(labels)).map(({ name }) => name);
  };

  workloadSelector(pod: PendingPod): LabelSelector {
    const cache = this.#cache as Cache; // Set by every reconcile, and nodes are scored only in reconciles.
    return this.#workloads.selector(pod, { cache, services: this.services.selecting(pod) });
  }

  disruptionBudgets(): readonly PodDisruptionBudget[] {
    return this.#cache?.lister(PodDisruptionBudget).list() ?? [];
  }

  /** Returns a pod, or undefined if it does not exist or has ended. */
  pod({ namespace, name }: NamespacedName): Stored<Pod> | undefined {
    const pod = this.#cache?.lister(Pod).get({ namespace, name });
    return pod && isPodEnded(pod) ? undefined : pod;
  }

  /** Returns a pod's identity and version without decoding it. */
  podVersion({
    namespace,
    name,
  }: NamespacedName): { readonly uid: string; readonly resourceVersion: string } | undefined {
    return this.#cache?.lister(Pod).view({ namespace, name });
  }
}
