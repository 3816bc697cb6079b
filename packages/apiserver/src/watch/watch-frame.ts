import type { Status } from '@kubewright/apimachinery';
import { shortLivedBytes } from '../storage/short-lived-bytes.ts';

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

/** Wraps an object's JSON in an event, on one line. */
export function frame(type: WatchEventType, object: Uint8Array): Uint8Array {
  const opening = openings[type];
  const made = shortLivedBytes(opening.length + object.length + closing.length);
  made.set(opening);
  made.set(object, opening.length);
  made.set(closing, opening.length + object.length);
  return made;
}

/** Builds an event that gives the reason why the stream ends. */
export function errorFrame(status: Status): Uint8Array {
  return frame('ERROR', Buffer.from(JSON.stringify(status)));
}
