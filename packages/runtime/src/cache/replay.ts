import { setImmediate } from 'node:timers/promises'; // seam: see its use
import type { Clock } from '@kubewright/apimachinery';
import type { ObjectEvent } from '../handler/events.ts';
import type { ObjectView } from '../handler/object-view.ts';

/** Maximum time a replay holds the event loop without yielding, in milliseconds. */
const sliceMs = 5;

export interface ReplayOptions<T> {
  readonly clock: Clock;
  /** The objects that exist when the handler subscribes. */
  readonly present: readonly ObjectView<T>[];
  /**
   * Returns false for an object that has since changed or been deleted; the event for the change was already delivered.
   */
  readonly isCurrent: (object: ObjectView<T>) => boolean;
  readonly notify: (event: ObjectEvent<T>) => void;
}

/**
 * Shows the existing objects to a new subscriber, in slices that yield to the event loop. Replaying a large cache in
 * one go would delay everything else, including lease renewal. Events that arrive during the replay are delivered
 * immediately; a change to an object that has not been shown yet is delivered as a create event.
 */
export class Replay<T> implements Disposable {
  /** Resolves when all objects have been shown or the replay is disposed. */
  readonly done: Promise<void>;
  readonly #options: ReplayOptions<T>;
  /** The objects shown so far; created after the first slice, because no event can arrive earlier. */
  #shown: Set<ObjectView<T>> | undefined;
  #isDone = false;

  constructor(options: ReplayOptions<T>) {
    this.#options = options;
    this.done = this.#run();
  }

  /** Delivers an event, adjusted for a subscriber that has seen only some of the objects. */
  notify(event: ObjectEvent<T>): void {
    const { notify } = this.#options;
    const adjusted = this.#shown ? adjust(event, this.#shown) : event;
    if (adjusted) notify(adjusted);
  }

  [Symbol.dispose](): void {
    this.#isDone = true;
    this.#shown = undefined;
  }

  /** A short replay runs to the end without yielding. */
  async #run(): Promise<void> {
    const { clock, present, isCurrent, notify } = this.#options;
    let workedMs = 0;
    for (const [index, object] of present.entries()) {
      if (this.#isDone) return;
      const startMs = clock.monotonic();
      if (isCurrent(object)) {
        notify({ type: 'create', object, isInInitialList: true });
        this.#shown?.add(object);
      }
      workedMs += clock.monotonic() - startMs;
      if (workedMs < sliceMs) continue;
      this.#shown ??= new Set(present.slice(0, index + 1));
      // seam: yields to sockets and timers; adds no delay.
      await setImmediate();
      workedMs = 0;
    }
    this[Symbol.dispose]();
  }
}

/** Returns the event for a subscriber that has seen only the `shown` objects, and updates `shown`. */
function adjust<T>(event: ObjectEvent<T>, shown: Set<ObjectView<T>>): ObjectEvent<T> | undefined {
  if (event.type === 'delete') shown.delete(event.object);
  if (event.type === 'create') shown.add(event.object);
  if (event.type !== 'update') return event;
  const wasShown = shown.has(event.old);
  // Drop the resync of an object that will be shown anyway.
  if (!wasShown && event.old === event.object) return undefined;
  shown.delete(event.old);
  shown.add(event.object);
  return wasShown ? event : { type: 'create', object: event.object, isInInitialList: false };
}
