import type { Status } from '@kubewright/apimachinery';
import { shortLivedBytes } from '../storage/short-lived-bytes.ts';
import type { WatchFraming, WatchRepresentation } from './watch-request.ts';

/** Event types on the wire. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

const openings: Readonly<Record<WatchEventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
const closing = Buffer.from('}\n');

/** Writes events as lines of JSON. */
const jsonLines: WatchFraming = {
  frame(type, object) {
    const opening = openings[type];
    const made = shortLivedBytes(opening.length + object.length + closing.length);
    made.set(opening);
    made.set(object, opening.length);
    made.set(closing, opening.length + object.length);
    return made;
  },
  status: (status) => Buffer.from(JSON.stringify(status)),
};

/** Wraps an encoded object in an event, with the framing of a representation. */
export function frame(
  { framing = jsonLines }: WatchRepresentation,
  type: WatchEventType,
  object: Uint8Array,
): Uint8Array {
  return framing.frame(type, object);
}

/** Builds the ERROR event that gives the reason why the stream ends. */
export function errorFrame({ framing = jsonLines }: WatchRepresentation, status: Status): Uint8Array {
  return framing.frame('ERROR', framing.status(status));
}
