import type { KubernetesObject } from '@kubewright/apimachinery';
import type { EventNote, EventRecorder } from './event-recorder.ts';

/** The events of one reconcile; by default, they are about the reconciled object. */
export class ReconcileEvents {
  readonly #recorderOf: (regarding: KubernetesObject | undefined) => EventRecorder;
  #object: KubernetesObject | undefined;
  #isBegun = false;
  #hasWarned = false;

  constructor(recorderOf: (regarding: KubernetesObject | undefined) => EventRecorder) {
    this.#recorderOf = recorderOf;
  }

  /** True once there is an object to reconcile; false for a key whose object was deleted. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** True once the reconcile function has recorded a Warning event. */
  get hasWarned(): boolean {
    return this.#hasWarned;
  }

  /** The reconciled object, if known. */
  get object(): KubernetesObject | undefined {
    return this.#object;
  }

  /** Returns the recorder for a reconcile of this object. */
  begin(object: KubernetesObject | undefined): EventRecorder {
    this.#object = object;
    this.#isBegun = true;
    return this;
  }

  record(note: EventNote): void {
    if (note.type === 'Warning') this.#hasWarned = true;
    this.#recorderOf(this.#object).record(note);
  }
}
