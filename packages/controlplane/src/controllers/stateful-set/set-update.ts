import { isDeleting, scaledValue } from '@kubewright/apimachinery';
import type { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { isPodEnded } from '../pods/pod-state.ts';
import { type Revisions, templateOf } from './revisions.ts';
import {
  hasIdentity,
  isAvailable,
  isHealthy,
  ordinalOf,
  podRevision,
  startOrdinal,
  statefulPod,
} from './stateful-pod.ts';
import type { StatefulPodControl } from './stateful-pod-control.ts';

/** What one look at a set works with. */
export interface SetUpdateParts {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly revisions: Revisions;
  readonly control: StatefulPodControl;
  readonly nowMs: number;
}

interface Replica {
  readonly ordinal: number;
  /** Undefined when it must be made. */
  readonly pod: Pod | undefined;
}

/**
 * Moves a set on: makes what is missing from the lowest ordinal up, takes away what is too much from the highest down,
 * then replaces pods of an old revision. With `OrderedReady` each step waits until the ordinals before are available.
 */
export class SetUpdate {
  readonly #parts: SetUpdateParts;
  readonly #ordered: boolean;
  readonly #minReadySeconds: number;

  constructor(parts: SetUpdateParts) {
    this.#parts = parts;
    const { spec } = parts.set;
    this.#ordered = spec?.podManagementPolicy !== 'Parallel';
    this.#minReadySeconds = spec?.minReadySeconds ?? 0;
  }

  async run(): Promise<void> {
    const { set, pods } = this.#parts;
    const start = startOrdinal(set);
    const end = start + (set.spec?.replicas ?? 1);
    const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod) ?? -1, pod]));
    const replicas = Array.from({ length: end - start }, (_, i) => ({
      ordinal: start + i,
      pod: byOrdinal.get(start + i),
    }));
    const condemned = [...byOrdinal]
      .filter(([ordinal]) => ordinal < start || ordinal >= end)
      .sort(([a], [b]) => b - a)
      .map(([ordinal, pod]) => ({ ordinal, pod }));
    for (const replica of replicas) if (await this.#blocksAfter(replica)) return;
    if (await this.#shrink(condemned, replicas)) return;
    if (set.spec?.updateStrategy?.type !== 'OnDelete') await this.#roll(replicas);
  }

  /** Brings one replica forward; true when those after it must wait. */
  async #blocksAfter({ ordinal, pod }: Replica): Promise<boolean> {
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
      // Made anew when the name is free.
      return this.#ordered;
    }
    if (pod.status?.phase === 'Pending' && !isDeleting(pod)) await control.createClaims(pod, ordinal);
    await control.ownClaims(pod, { ordinal, condemned: false });
    if (this.#ordered && !this.#isAvailable(pod)) return true;
    if (!isDeleting(pod) && !hasIdentity(pod, { set, ordinal })) await control.mend(pod, ordinal);
    return false;
  }

  /** Takes away what is beyond the set's size; true when an update must wait. */
  async #shrink(
    condemned: readonly { readonly ordinal: number; readonly pod: Pod }[],
    replicas: readonly Replica[],
  ): Promise<boolean> {
    const { control } = this.#parts;
    const all = [...replicas, ...condemned].flatMap(({ ordinal, pod }) => (pod ? [{ ordinal, pod }] : []));
    const firstUnhealthy = all.filter(({ pod }) => !isHealthy(pod)).sort((a, b) => a.ordinal - b.ordinal)[0]?.pod;
    for (const { ordinal, pod } of condemned) {
      if (isDeleting(pod)) {
        if (this.#ordered) return true;
        continue;
      }
      // In order, a pod goes only while the ones before it are well; the first that is not may go itself.
      if (this.#ordered && !this.#isAvailable(pod) && pod !== firstUnhealthy) return true;
      await control.ownClaims(pod, { ordinal, condemned: true });
      await control.delete(pod);
      if (this.#ordered) return true;
    }
    return false;
  }

  /** Replaces pods of an old revision from the highest ordinal down to the partition, as many at a time as may be missing. */
  async #roll(replicas: readonly Replica[]): Promise<void> {
    const { set, control, revisions } = this.#parts;
    const { partition = 0, maxUnavailable = 1 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
    const most = scaledValue(maxUnavailable, { total: replicas.length, roundUp: true }) ?? 1;
    let budget = Math.max(1, most);
    for (const { ordinal, pod } of [...replicas].reverse()) {
      if (ordinal - startOrdinal(set) < partition || budget <= 0) return;
      const old = pod !== undefined && podRevision(pod) !== revisions.update.metadata.name;
      if (old && !isDeleting(pod)) {
        await control.delete(pod);
        budget--;
      } else if (!pod || !this.#isAvailable(pod)) {
        budget--;
      }
    }
  }

  #isAvailable(pod: Pod): boolean {
    return isAvailable(pod, { minReadySeconds: this.#minReadySeconds, nowMs: this.#parts.nowMs });
  }

  /** Below the partition, and before an update has begun, pods are of the revision that the set had. */
  #newPod(ordinal: number): Pod {
    const { set, revisions } = this.#parts;
    const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
    const kept = rollingUpdate ? (rollingUpdate.partition ?? 0) : (set.status?.currentReplicas ?? 0);
    const isOld = type !== 'OnDelete' && ordinal < startOrdinal(set) + kept;
    const revision = isOld ? revisions.current : revisions.update;
    return statefulPod(set, { ordinal, template: templateOf(revision), revision: revision.metadata.name ?? '' });
  }
}
