import {
  bytesEqual,
  closeBrace,
  MalformedJsonError,
  openBrace,
  readString,
  skipSpace,
  skipValue,
} from './json-bytes.ts';
import { keyEndAt, nextMember, valueAfter } from './metadata-scan.ts';

/** The types of watch events. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** A watch event whose object has been located but not parsed. */
export interface WatchLine {
  readonly type: string;
  readonly objectAt: number;
  readonly objectEnd: number;
}

/**
 * Locates type and object of a watch event in its line. If the object comes last, as servers write it, its end follows from the
 * end of the line, and the object is not scanned.
 * @throws MalformedJsonError (KW3010)
 */
export function readWatchLine(bytes: Buffer, start: number, end: number): WatchLine {
  let type: string | undefined;
  let objectAt = -1;
  let objectEnd = -1;
  let i = skipSpace(bytes, start, end);
  if (bytes[i] !== openBrace) throw new MalformedJsonError('a watch event');
  i = skipSpace(bytes, i + 1, end);
  while (i < end && bytes[i] !== closeBrace) {
    const keyEnd = keyEndAt(bytes, i, end);
    const valueAt = valueAfter(bytes, keyEnd, end);
    if (keyEnd - i === 8 && bytesEqual(bytes, i + 1, 'object')) {
      objectAt = valueAt;
      if (type !== undefined) {
        objectEnd = lastObjectEnd(bytes, end);
        if (objectEnd > objectAt) return { type, objectAt, objectEnd };
      }
      objectEnd = skipValue(bytes, valueAt, end);
      i = nextMember(bytes, objectEnd, end);
      continue;
    }
    const valueEnd = skipValue(bytes, valueAt, end);
    if (keyEnd - i === 6 && bytesEqual(bytes, i + 1, 'type')) type = readString(bytes, valueAt, valueEnd);
    i = nextMember(bytes, valueEnd, end);
  }
  if (type === undefined || objectAt < 0) throw new MalformedJsonError('a watch event');
  return { type, objectAt, objectEnd };
}

/**
 * Returns the index after the object's closing brace if the line ends with the braces of the object and the event; otherwise -1.
 */
function lastObjectEnd(bytes: Buffer, end: number): number {
  let i = end - 1;
  while (bytes[i]! <= 0x20) i--;
  if (bytes[i] !== closeBrace) return -1;
  i--;
  while (bytes[i]! <= 0x20) i--;
  return bytes[i] === closeBrace ? i + 1 : -1;
}
