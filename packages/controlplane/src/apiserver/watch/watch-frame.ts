import type { Status } from '@kubewright/apimachinery';

/** The types of events on the wire. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

const OPENINGS: Readonly<Record<WatchEventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
const CLOSING = Buffer.from('}\n');

/** Puts an object's JSON into an event, one line. */
export function frame(type: WatchEventType, object: Uint8Array): Uint8Array {
  return Buffer.concat([OPENINGS[type], object, CLOSING]);
}

/** An event that tells why the stream ends. */
export function errorFrame(status: Status): Uint8Array {
  return frame('ERROR', Buffer.from(JSON.stringify(status)));
}
