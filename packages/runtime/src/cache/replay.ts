import { setImmediate } from 'node:timers/promises'; // seam: see its use
import type { Clock } from '@kubewright/apimachinery';
import type { ObjectEvent } from '../handler/events.ts';
import type { ObjectView } from '../handler/object-view.ts';

/** How long a replay holds the event loop at a stretch, in milliseconds. */
const sliceMs = 5;

/** Options of a {@link Replay}. */
export interface ReplayOptions<T> {
  readonly clock: Clock;
  /** The objects at the time of the subscription. */
  readonly present: readonly ObjectView<T>[];
  /** Returns false for an object that was changed or deleted since: its event was passed on already. */
  readonly isCurrent: (object: ObjectView<T>) => boolean;
  readonly tell: (event: ObjectEvent<T>) => void;
}

/**
 * Shows a new subscriber the objects that are there, in slices that yield to the event loop: a replay of a large cache at a
 * stretch would delay everything else, the renewal of a lease included. Events that come meanwhile are passed on immediately;
 * the change of an object that was not shown yet is passed on as its creation.
 */
export class Replay<T> implements Disposable {
  /** Resolves when everything was shown, or the replay was disposed. */
  readonly done: Promise<void>;
  readonly #options: ReplayOptions<T>;
  /** The objects that were shown; kept only when a slice is over, since nothing else can happen before. */
  #shown: Set<ObjectView<T>> | undefined;
  #isDone = false;

  constructor(options: ReplayOptions<T>) {
    this.#options = options;
    this.done = this.#run();
  }

  /** Passes an event on, adjusted for a subscriber that has seen only a part of the objects. */
  tell(event: ObjectEvent<T>): void {
    const { tell } = this.#options;
    const adjusted = this.#shown ? adjust(event, this.#shown) : event;
    if (adjusted) tell(adjusted);
  }

  [Symbol.dispose](): void {
    this.#isDone = true;
    this.#shown = undefined;
  }

  /** Runs to the end without a pause when it is short. */
  async #run(): Promise<void> {
    const { clock, present, isCurrent, tell } = this.#options;
    let workedMs = 0;
    for (const [index, object] of present.entries()) {
      if (this.#isDone) return;
      const startMs = clock.monotonic();
      if (isCurrent(object)) {
        tell({ type: 'create', object, isInInitialList: true });
        this.#shown?.add(object);
      }
      workedMs += clock.monotonic() - startMs;
      if (workedMs < sliceMs) continue;
      this.#shown ??= new Set(present.slice(0, index + 1));
      // seam: lets sockets and timers in between; no time is waited for.
      await setImmediate();
      workedMs = 0;
    }
    this[Symbol.dispose]();
  }
}

/** Returns the event for someone who has seen these objects only, and records what they see by it. */
function adjust<T>(event: ObjectEvent<T>, shown: Set<ObjectView<T>>): ObjectEvent<T> | undefined {
  if (event.type === 'delete') shown.delete(event.object);
  if (event.type === 'create') shown.add(event.object);
  if (event.type !== 'update') return event;
  const wasShown = shown.has(event.old);
  // A resync of an object that is going to be shown anyway.
  if (!wasShown && event.old === event.object) return undefined;
  shown.delete(event.old);
  shown.add(event.object);
  return wasShown ? event : { type: 'create', object: event.object, isInInitialList: false };
}
