import { closeBracket, comma, openBrace, openBracket, readString, skipSpace, skipValue } from './json-bytes.ts';
import { keyEndAt, nextMember, valueAfter } from './metadata-scan.ts';

/** A range of bytes. */
export interface ByteSpan {
  readonly at: number;
  readonly end: number;
}

/**
 * Finds the `managedFields` entries that belong to the given managers. The other entries are often a third of an object
 * and useless to readers of the cache.
 */
export function ownManagedFields(bytes: Buffer, span: ByteSpan, managers: ReadonlySet<string>): readonly ByteSpan[] {
  const kept: ByteSpan[] = [];
  if (managers.size === 0 || bytes[span.at] !== openBracket) return kept;
  let i = skipSpace(bytes, span.at + 1, span.end);
  while (i < span.end && bytes[i] !== closeBracket) {
    const end = skipValue(bytes, i, span.end);
    if (end < 0) break;
    const manager = managerOf(bytes, { at: i, end });
    if (manager !== undefined && managers.has(manager)) kept.push({ at: i, end });
    i = skipSpace(bytes, end, span.end);
    if (bytes[i] === comma) i = skipSpace(bytes, i + 1, span.end);
  }
  return kept;
}

function managerOf(bytes: Buffer, span: ByteSpan): string | undefined {
  if (bytes[span.at] !== openBrace) return undefined;
  let i = skipSpace(bytes, span.at + 1, span.end);
  while (i < span.end - 1) {
    const keyEnd = keyEndAt(bytes, i, span.end);
    const valueAt = valueAfter(bytes, keyEnd, span.end);
    const valueEnd = skipValue(bytes, valueAt, span.end);
    if (valueEnd < 0) return undefined;
    if (readString(bytes, i, keyEnd) === 'manager') return readString(bytes, valueAt, valueEnd);
    i = nextMember(bytes, valueEnd, span.end);
  }
  return undefined;
}
