import { isDeleting, type Stored, scaledValue } from '@kubewright/apimachinery';
import type { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { IndexSet } from '../index-set.ts';
import { isPodEnded } from '../pods/pod-state.ts';
import { type Revisions, templateOf } from './revisions.ts';
import { hasIdentity, isAvailable, ordinalOf, podRevision, startOrdinal, statefulPod } from './stateful-pod.ts';
import type { StatefulPodControl } from './stateful-pod-control.ts';

/** Input for one reconcile of a set. */
export interface SetUpdateParts {
  readonly set: Stored<StatefulSet>;
  readonly pods: readonly Stored<Pod>[];
  readonly revisions: Revisions;
  readonly control: StatefulPodControl;
  readonly nowMs: number;
}

interface Replica {
  readonly ordinal: number;
  /** Undefined if the pod does not exist yet. */
  readonly pod: Stored<Pod> | undefined;
}

type PresentReplica = Replica & { readonly pod: Stored<Pod> };

/**
 * The maximum number of pods that one reconcile creates with the Parallel policy. Without this limit, a change of the set's size
 * would take effect only after all pods are created.
 */
const burst = 100;

/**
 * Advances a set: creates missing pods from the lowest ordinal up, deletes surplus pods from the highest ordinal down, then
 * replaces pods of an old revision. With `OrderedReady`, each step waits until the pods with lower ordinals are available.
 */
export class SetUpdate {
  readonly #parts: SetUpdateParts;
  readonly #ordered: boolean;
  readonly #desired: number;
  readonly #minReadySeconds: number;

  constructor(parts: SetUpdateParts) {
    this.#parts = parts;
    const { spec } = parts.set;
    this.#ordered = spec?.podManagementPolicy !== 'Parallel';
    this.#desired = spec?.replicas ?? 1;
    this.#minReadySeconds = spec?.minReadySeconds ?? 0;
  }

  async run(): Promise<void> {
    const { set, pods } = this.#parts;
    const start = startOrdinal(set);
    const end = start + this.#desired;
    const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod) ?? -1, pod]));
    const present = [...byOrdinal].map(([ordinal, pod]) => ({ ordinal, pod })).sort((a, b) => a.ordinal - b.ordinal);
    const staying = present.filter(({ ordinal }) => ordinal >= start && ordinal < end);
    const condemned = present.filter(({ ordinal }) => ordinal < start || ordinal >= end).reverse();
    for (const replica of this.#due(staying)) if (await this.#advance(replica)) return;
    if (await this.#shrink(condemned, staying)) return;
    if (set.spec?.updateStrategy?.type !== 'OnDelete') await this.#roll(staying);
  }

  /**
   * Returns the replicas to process now, lowest ordinal first: the existing pods, and the first missing pods. The number of
   * missing pods is limited, because a set can be very large. Created pods trigger the next reconcile.
   */
  #due(staying: readonly PresentReplica[]): readonly Replica[] {
    const start = startOrdinal(this.#parts.set);
    const count = this.#ordered ? 1 : burst;
    const missing = IndexSet.of(staying.map(({ ordinal }) => ordinal - start))
      .firstAbsent({ count, limit: this.#desired })
      .map((index) => ({ ordinal: start + index, pod: undefined }));
    return [...staying, ...missing].sort((a, b) => a.ordinal - b.ordinal);
  }

  /** Advances one replica. Returns true if the replicas with higher ordinals must wait. */
  async #advance({ ordinal, pod }: Replica): Promise<boolean> {
    const { set, control } = this.#parts;
    if (!pod) {
      await control.create(this.#newPod(ordinal), ordinal);
      return this.#ordered;
    }
    if (isPodEnded(pod)) {
      if (!isDeleting(pod)) {
        control.noteReplacement(pod);
        await control.delete(pod);
      }
      // The pod is recreated once its name is free.
      return this.#ordered;
    }
    if (pod.status?.phase === 'Pending' && !isDeleting(pod)) await control.createClaims(pod, ordinal);
    await control.ownClaims(pod, { ordinal, condemned: false });
    if (this.#ordered && !this.#isAvailable(pod)) return true;
    if (!isDeleting(pod) && !hasIdentity(pod, { set, ordinal })) await control.restoreIdentity(pod, ordinal);
    return false;
  }

  /** Deletes condemned pods, whose ordinals are outside the set's range. Returns true if an update must wait. */
  async #shrink(condemned: readonly PresentReplica[], staying: readonly PresentReplica[]): Promise<boolean> {
    const { control } = this.#parts;
    for (const { ordinal, pod } of condemned) await control.ownClaims(pod, { ordinal, condemned: true });
    const unavailable = (replicas: readonly PresentReplica[]): Pod | undefined =>
      [...replicas].sort((a, b) => a.ordinal - b.ordinal).find(({ pod }) => !this.#isAvailable(pod))?.pod;
    const firstUnavailable = unavailable(staying) ?? unavailable(condemned);
    for (const { pod } of condemned) {
      if (isDeleting(pod)) {
        if (this.#ordered) return true;
        continue;
      }
      // With `OrderedReady`, delete a pod only if it is available or is the first unavailable pod of the set.
      if (this.#ordered && !this.#isAvailable(pod) && pod !== firstUnavailable) return true;
      await control.delete(pod);
      if (this.#ordered) return true;
    }
    return false;
  }

  /** Replaces pods of an old revision, from the highest ordinal down to the partition, within `maxUnavailable`. */
  async #roll(staying: readonly PresentReplica[]): Promise<void> {
    const { set, control, revisions } = this.#parts;
    const start = startOrdinal(set);
    const { partition = 0, maxUnavailable = 1 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
    const max = scaledValue(maxUnavailable, { total: this.#desired, roundUp: false }) ?? 1;
    let budget = Math.max(1, max);
    let above = start + this.#desired;
    for (const { ordinal, pod } of [...staying].reverse()) {
      // Missing pods count as unavailable too.
      budget -= above - ordinal - 1;
      above = ordinal;
      if (ordinal - start < partition || budget <= 0) return;
      const old = podRevision(pod) !== revisions.update.metadata.name;
      if (old && !isDeleting(pod)) {
        await control.delete(pod);
        budget--;
      } else if (!this.#isAvailable(pod)) {
        budget--;
      }
    }
  }

  #isAvailable(pod: Pod): boolean {
    return isAvailable(pod, { minReadySeconds: this.#minReadySeconds, nowMs: this.#parts.nowMs });
  }

  /**
   * Builds a missing pod. It gets the previous revision if its ordinal is below the partition, or if the update has not
   * reached its ordinal yet.
   */
  #newPod(ordinal: number): Pod {
    const { set, revisions } = this.#parts;
    const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
    const kept = rollingUpdate ? (rollingUpdate.partition ?? 0) : (set.status?.currentReplicas ?? 0);
    const isOld = type !== 'OnDelete' && ordinal < startOrdinal(set) + kept;
    const revision = isOld ? revisions.current : revisions.update;
    return statefulPod(set, { ordinal, template: templateOf(revision), revision: revision.metadata.name });
  }
}
