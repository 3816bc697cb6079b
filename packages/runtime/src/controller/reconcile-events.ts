import type { KubernetesObject } from '@kubewright/apimachinery';
import type { EventNote, EventRecorder } from '../recorder/event-recorder.ts';

/** The events of one reconcile, which are about its object unless they say otherwise. */
export class ReconcileEvents {
  readonly #recorderOf: (regarding: KubernetesObject | undefined) => EventRecorder;
  #object: KubernetesObject | undefined;
  #isBegun = false;
  #hasWarned = false;

  constructor(recorderOf: (regarding: KubernetesObject | undefined) => EventRecorder) {
    this.#recorderOf = recorderOf;
  }

  /** True once there was something to reconcile: false for a key whose object is gone. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** True once the reconcile has told people of a trouble by an event of its own. */
  get hasWarned(): boolean {
    return this.#hasWarned;
  }

  /** The object that is reconciled, as far as is known. */
  get object(): KubernetesObject | undefined {
    return this.#object;
  }

  /** Makes the recorder of a reconcile of this object. */
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
