import { nextTurn } from '../next-turn.ts';
import type { StorageChange, StoredObject } from '../storage/index.ts';
import { ChangeFrames, type DecodeStored, storedItem } from './change-frames.ts';
import { frame } from './watch-frame.ts';
import type { WatchRequest } from './watch-request.ts';
import { type Backlog, chunkBytes } from './watcher.ts';

/** Maximum number of objects or changes to check per turn of the event loop, if a selector matches few of them. */
const examinedPerTurn = 500;

/** Returns a backlog that sends the state as ADDED events, then optionally a bookmark that marks its end. */
export function stateBacklog(
  objects: readonly StoredObject[],
  options: {
    readonly request: WatchRequest;
    readonly decode: DecodeStored;
    /** The revision of the state, if a bookmark should mark its end. */
    readonly endMark: string | undefined;
  },
): Backlog {
  const { request, decode, endMark } = options;
  const { representation, filter } = request;
  let first = representation.firstDiffers ?? false;
  const frames = function* (): Generator<Uint8Array | undefined> {
    for (const stored of objects) {
      const item = storedItem(stored, decode);
      if (filter && !filter.matches(item)) yield undefined;
      else {
        yield frame(representation, 'ADDED', representation.encode(item, { first }));
        first = false;
      }
    }
    if (endMark !== undefined) {
      yield frame(
        representation,
        'BOOKMARK',
        representation.bookmark(endMark, { first, annotations: { 'k8s.io/initial-events-end': 'true' } }),
      );
    }
  };
  return new FrameBacklog(frames());
}

/** Returns a backlog of the changes between the watch's start revision and the first live event of its class. */
export function historyBacklog(
  changes: readonly StorageChange[],
  options: { readonly request: WatchRequest; readonly decode: DecodeStored },
): Backlog {
  const { representation, filter } = options.request;
  let first = representation.firstDiffers ?? false;
  const frames = function* (): Generator<Uint8Array | undefined> {
    for (const change of changes) {
      const made = new ChangeFrames(change, options.decode).frame(filter, { representation, first });
      if (made) first = false;
      yield made;
    }
  };
  return new FrameBacklog(frames());
}

/** Collects frames into chunks and yields to other work in between. */
class FrameBacklog implements Backlog {
  readonly #frames: Iterator<Uint8Array | undefined>;

  constructor(frames: Iterator<Uint8Array | undefined>) {
    this.#frames = frames;
  }

  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const frames: Uint8Array[] = [];
      let length = 0;
      let done = false;
      for (let examined = 0; examined < examinedPerTurn && length < chunkBytes && !done; examined++) {
        const next = this.#frames.next();
        done = next.done === true;
        if (!next.value) continue;
        frames.push(next.value as Uint8Array); // the generator returns nothing
        length += (next.value as Uint8Array).length;
      }
      if (length > 0) return frames.length === 1 ? frames[0] : Buffer.concat(frames, length);
      if (done) return undefined;
      await nextTurn();
    }
  }
}
