import { isAlreadyExists, isDeleting, type Stored } from '@kubewright/apimachinery';
import type { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import type { RequestContext } from '@kubewright/runtime';
import type { CoreEventRecorder } from '../core-event-recorder.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { createObject, deleteObject, updateObject } from '../object-writes.ts';
import { messageOf } from '../pods/pod-control.ts';
import { claimOwnership, isClaimStale } from './claim-owners.ts';
import { claimsOf, withIdentity } from './stateful-pod.ts';

/** Creates, repairs and deletes a set's pods and claims, and records the results as events. */
export class StatefulPodControl {
  readonly #events: CoreEventRecorder;
  readonly #ctx: RequestContext;
  readonly #set: Stored<StatefulSet>;

  constructor(parts: {
    readonly events: CoreEventRecorder;
    readonly ctx: RequestContext;
    readonly set: Stored<StatefulSet>;
  }) {
    this.#events = parts.events;
    this.#ctx = parts.ctx;
    this.#set = parts.set;
  }

  /**
   * Creates the pod's claims, then the pod. Does nothing while a claim still belongs to the previous pod of the same
   * name and will be deleted with that pod.
   */
  async create(pod: Pod, ordinal: number): Promise<void> {
    if (this.#presentClaims(ordinal).some((claim) => isClaimStale(claim, { set: this.#set, pod }))) return;
    await this.#reported('create', pod, async () => {
      await this.createClaims(pod, ordinal);
      await createObject(this.#ctx, { kind: Pod, object: pod });
    });
  }

  async delete(pod: Stored<Pod>): Promise<void> {
    if (isDeleting(pod)) return;
    await this.#reported('delete', pod, () => deleteObject(this.#ctx, { kind: Pod, object: pod }));
  }

  /**
   * Restores the labels and claims that a pod must have for its ordinal. The API server rejects changes to a pod's volumes; an
   * event then reports the error.
   */
  async restoreIdentity(pod: Stored<Pod>, ordinal: number): Promise<void> {
    await this.createClaims(pod, ordinal);
    const object = withIdentity(pod, { set: this.#set, ordinal });
    await this.#reported('update', pod, () => updateObject(this.#ctx, { kind: Pod, object }));
  }

  /** Records an event that a finished pod is being recreated. */
  noteReplacement(pod: Pod): void {
    const { namespace, name } = this.#set.metadata;
    const failed = pod.status?.phase === 'Failed';
    this.#events.record(this.#ctx, {
      about: this.#set,
      type: failed ? 'Warning' : 'Normal',
      reason: failed ? 'RecreatingFailedPod' : 'RecreatingTerminatedPod',
      message: `StatefulSet ${namespace}/${name} is recreating ${failed ? 'failed' : 'terminated'} Pod ${pod.metadata.name}`,
    });
  }

  /**
   * Creates the missing claims of an ordinal.
   *
   * @throws Error if a claim cannot be created, or if an existing claim is being deleted.
   */
  async createClaims(pod: Pod, ordinal: number): Promise<void> {
    const ctx = this.#ctx;
    for (const object of claimsOf(this.#set, ordinal)) {
      const { namespace, name } = object.metadata;
      const found = ctx.cache.lister(PersistentVolumeClaim).view({ namespace, name });
      if (found?.deletionTimestamp !== undefined) throw new Error(`pvc ${name} is being deleted`);
      if (found) continue;
      try {
        await createObject(ctx, { kind: PersistentVolumeClaim, object });
        this.#note(
          'Normal',
          'SuccessfulCreate',
          `Create Claim ${name} Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name} success`,
        );
      } catch (error) {
        const failure = `Create Claim ${name} for Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name} failed error: ${messageOf(error)}`;
        if (!isAlreadyExists(error)) this.#note('Warning', 'FailedCreate', failure);
        throw new Error(`failed to create PVC ${name}: ${messageOf(error)}`, { cause: error });
      }
    }
  }

  /** Sets the owners of an ordinal's claims as the retention policy requires. */
  async ownClaims(
    pod: Stored<Pod>,
    { ordinal, condemned }: { readonly ordinal: number; readonly condemned: boolean },
  ): Promise<void> {
    for (const object of this.#presentClaims(ordinal)) {
      const { ownerReferences, isConflicting } = claimOwnership(object, { set: this.#set, pod, condemned });
      if (!ownerReferences) continue;
      if (isConflicting) {
        const message = `PersistentVolumeClaim ${object.metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        this.#note('Warning', 'ConflictingController', message);
      }
      await updateObject(this.#ctx, {
        kind: PersistentVolumeClaim,
        object: { ...object, metadata: { ...object.metadata, ownerReferences } },
      }).catch(ignoreNotFound);
    }
  }

  #presentClaims(ordinal: number): readonly PersistentVolumeClaim[] {
    const lister = this.#ctx.cache.lister(PersistentVolumeClaim);
    return claimsOf(this.#set, ordinal).flatMap(({ metadata: { namespace, name } }) => {
      const found = lister.get({ namespace, name });
      return found ? [found] : [];
    });
  }

  async #reported(verb: 'create' | 'delete' | 'update', pod: Pod, act: () => Promise<unknown>): Promise<void> {
    const word = `${verb[0]?.toUpperCase()}${verb.slice(1)}`;
    const what = `${word} Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name}`;
    try {
      await act();
      this.#note('Normal', `Successful${word}`, `${what} successful`);
    } catch (error) {
      // An earlier reconcile created the pod, and the cache is stale. Record no event.
      if (verb === 'create' && isAlreadyExists(error)) throw error;
      this.#note('Warning', `Failed${word}`, `${what} failed error: ${messageOf(error)}`);
      throw error;
    }
  }

  #note(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.record(this.#ctx, { about: this.#set, type, reason, message });
  }
}
