import { isDeleting, type OwnerReference } from '@kubewright/apimachinery';
import type { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import type { RequestContext } from '@kubewright/runtime';
import type { CoreEventRecorder } from '../core-event-recorder.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { createObject, deleteObject, updateObject } from '../object-writes.ts';
import { messageOf } from '../pods/pod-control.ts';
import { claimsOf, withIdentity } from './stateful-pod.ts';

/** Creates, repairs and deletes a set's pods and claims, and records events. */
export class StatefulPodControl {
  readonly #events: CoreEventRecorder;
  readonly #ctx: RequestContext;
  readonly #set: StatefulSet;

  constructor(parts: { readonly events: CoreEventRecorder; readonly ctx: RequestContext; readonly set: StatefulSet }) {
    this.#events = parts.events;
    this.#ctx = parts.ctx;
    this.#set = parts.set;
  }

  /** Creates the pod's claims and then the pod. */
  async create(pod: Pod, ordinal: number): Promise<void> {
    await this.createClaims(pod, ordinal);
    await this.#told('create', pod, () => createObject(this.#ctx, { kind: Pod, object: pod }));
  }

  async delete(pod: Pod): Promise<void> {
    if (isDeleting(pod)) return;
    await this.#told('delete', pod, () => deleteObject(this.#ctx, { kind: Pod, object: pod }));
  }

  /** Restores the labels of a pod's ordinal. Its volumes cannot be changed: the API rejects that, and the event reports it. */
  async mend(pod: Pod, ordinal: number): Promise<void> {
    await this.createClaims(pod, ordinal);
    const object = withIdentity(pod, { set: this.#set, ordinal });
    await this.#told('update', pod, () => updateObject(this.#ctx, { kind: Pod, object }));
  }

  /** Records an event that a finished pod is recreated. */
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

  /** Creates the missing claims of an ordinal. */
  async createClaims(pod: Pod, ordinal: number): Promise<void> {
    const ctx = this.#ctx;
    for (const object of claimsOf(this.#set, ordinal)) {
      const { namespace = '', name = '' } = object.metadata;
      if (ctx.cache.lister(PersistentVolumeClaim).view({ namespace, name })) continue;
      try {
        await createObject(ctx, { kind: PersistentVolumeClaim, object });
        this.#note(
          'Normal',
          'SuccessfulCreate',
          `Create Claim ${name} Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name} success`,
        );
      } catch (error) {
        const failure = `Create Claim ${name} for Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name} failed error: ${messageOf(error)}`;
        this.#note('Warning', 'FailedCreate', failure);
        throw error;
      }
    }
  }

  /** Sets the owner of an ordinal's claims according to the retention policy: the set, a pod to be scaled down, or none. */
  async ownClaims(
    pod: Pod,
    { ordinal, condemned }: { readonly ordinal: number; readonly condemned: boolean },
  ): Promise<void> {
    const ctx = this.#ctx;
    const { whenScaled = 'Retain' } = this.#set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
    for (const wanted of claimsOf(this.#set, ordinal)) {
      const { namespace = '', name = '' } = wanted.metadata;
      const object = ctx.cache.lister(PersistentVolumeClaim).get({ namespace, name });
      if (!object) continue;
      const present = object.metadata.ownerReferences ?? [];
      const { kind: podKind } = Pod;
      const others = present.filter(({ uid, kind }) => uid !== this.#set.metadata.uid && kind !== podKind);
      const owned =
        condemned && whenScaled === 'Delete' ? [podReference(pod)] : (wanted.metadata.ownerReferences ?? []);
      const ownerReferences = [...others, ...owned];
      if (sameJson(present, ownerReferences)) continue;
      await updateObject(ctx, {
        kind: PersistentVolumeClaim,
        object: { ...object, metadata: { ...object.metadata, ownerReferences } },
      }).catch(ignoreNotFound);
    }
  }

  async #told(verb: 'create' | 'delete' | 'update', pod: Pod, act: () => Promise<unknown>): Promise<void> {
    const word = `${verb[0]?.toUpperCase()}${verb.slice(1)}`;
    const what = `${word} Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name}`;
    try {
      await act();
      this.#note('Normal', `Successful${word}`, `${what} successful`);
    } catch (error) {
      this.#note('Warning', `Failed${word}`, `${what} failed error: ${messageOf(error)}`);
      throw error;
    }
  }

  #note(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.record(this.#ctx, { about: this.#set, type, reason, message });
  }
}

function podReference(pod: Pod): OwnerReference {
  const { name = '', uid = '' } = pod.metadata;
  return { apiVersion: 'v1', kind: 'Pod', name, uid };
}
