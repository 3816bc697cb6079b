import type { Status } from '@kubewright/apimachinery';

/** Event types on the wire. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

const OPENINGS: Readonly<Record<WatchEventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
const CLOSING = Buffer.from('}\n');

/** Wraps an object's JSON in an event, on one line. */
export function frame(type: WatchEventType, object: Uint8Array): Uint8Array {
  return Buffer.concat([OPENINGS[type], object, CLOSING]);
}

/** Builds an event that gives the reason why the stream ends. */
export function errorFrame(status: Status): Uint8Array {
  return frame('ERROR', Buffer.from(JSON.stringify(status)));
}
