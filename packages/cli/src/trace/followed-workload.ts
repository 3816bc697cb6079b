import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { Event } from '@kubewright/apimachinery/core/v1';
import { compareResourceVersions } from '@kubewright/apimachinery/internal';
import { type Change, hopOfChange } from './change.ts';
import { type Hop, reported } from './hops.ts';

/**
 * The maximum number of changes to keep while their owner is unknown. An owner is reported at most a moment after its
 * child.
 */
const maxWaiting = 1_000;

/** A change or event that is reported once the object with this UID is known to belong to the workload. */
interface Waiting {
  readonly uid: string;
  readonly release: () => readonly Hop[];
}

/**
 * Turns the changes of a namespace into the hops of one workload. Each kind has its own watch, so a child can be
 * reported before its owner.
 */
export class FollowedWorkload {
  readonly #isRoot: (object: Stored<KubernetesObject>) => boolean;
  readonly #latest = new Map<string, Stored<KubernetesObject>>();
  #waiting: readonly Waiting[] = [];

  constructor({ kind, name }: { readonly kind: string; readonly name: string }) {
    this.#isRoot = (object) => object.kind === kind && object.metadata.name === name;
  }

  /** Returns the hops that can be reported after a change of an object. */
  onObject(change: Change, time: string): readonly Hop[] {
    const { object } = change;
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    const release = (): readonly Hop[] => this.#addObject(change, time);
    if (this.#isRoot(object)) return release();
    return owner === undefined ? [] : this.#whenKnown({ uid: owner, release });
  }

  /** Returns the hops that can be reported after an event. */
  onEvent({ type, object: event }: Change<Stored<Event>>, time: string): readonly Hop[] {
    const { uid } = event.involvedObject;
    if (uid === undefined || type === 'DELETED' || type === 'FOUND') return [];
    const release = (): readonly Hop[] => {
      const object = this.#latest.get(uid);
      return object === undefined ? [] : [{ ...reported(event, object), time }];
    };
    return this.#whenKnown({ uid, release });
  }

  #whenKnown(waiting: Waiting): readonly Hop[] {
    if (this.#latest.has(waiting.uid)) return waiting.release();
    this.#waiting = [...this.#waiting, waiting].slice(-maxWaiting);
    return [];
  }

  #addObject(change: Change, time: string): readonly Hop[] {
    const { uid, resourceVersion } = change.object.metadata;
    const previous = this.#latest.get(uid);
    // A list can repeat versions that the watch has reported, or be ahead of the watch.
    const order = previous && compareResourceVersions(resourceVersion, previous.metadata.resourceVersion);
    if (order !== undefined && order <= 0) return [];
    this.#latest.set(uid, change.object);
    const due = this.#waiting.filter((each) => each.uid === uid);
    this.#waiting = this.#waiting.filter((each) => each.uid !== uid);
    return [hopOfChange(change, { previous, time }), ...due.flatMap(({ release }) => release())];
  }
}
