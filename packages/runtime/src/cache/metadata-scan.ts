import {
  bytesEqual,
  closeBrace,
  comma,
  MalformedJsonError,
  openBrace,
  quote,
  skipSpace,
  skipString,
  skipValue,
} from './json-bytes.ts';

/**
 * Where an object's metadata is in its bytes. Positions are relative to the object's first byte; 0 means "not there" (no value
 * can begin at an object's first byte). One instance is reused for many objects.
 */
export class MetadataScan {
  nameAt = 0;
  nameEnd = 0;
  namespaceAt = 0;
  namespaceEnd = 0;
  uidAt = 0;
  uidEnd = 0;
  resourceVersionAt = 0;
  resourceVersionEnd = 0;
  generationAt = 0;
  generationEnd = 0;
  labelsAt = 0;
  annotationsAt = 0;
  ownersAt = 0;
  deletionAt = 0;
  managedAt = 0;
  managedEnd = 0;

  /** Reads the object in `bytes[start, end)`. Looks at nothing behind its metadata. */
  scan(bytes: Uint8Array, start: number, end: number): void {
    this.#clear();
    let i = skipSpace(bytes, start, end);
    if (bytes[i] !== openBrace) throw new MalformedJsonError('an object');
    i = skipSpace(bytes, i + 1, end);
    while (i < end && bytes[i] !== closeBrace) {
      const keyEnd = keyEndAt(bytes, i, end);
      const valueAt = valueAfter(bytes, keyEnd, end);
      if (keyEnd - i === 10 && bytesEqual(bytes, i + 1, 'metadata')) {
        this.#scanMetadata(bytes, valueAt, { start, end });
        return;
      }
      i = nextMember(bytes, skipValue(bytes, valueAt, end), end);
    }
    throw new MalformedJsonError('an object without metadata');
  }

  #scanMetadata(bytes: Uint8Array, at: number, object: { readonly start: number; readonly end: number }): void {
    const { start, end } = object;
    if (bytes[at] !== openBrace) throw new MalformedJsonError('metadata');
    let i = skipSpace(bytes, at + 1, end);
    while (i < end && bytes[i] !== closeBrace) {
      const keyEnd = keyEndAt(bytes, i, end);
      const valueAt = valueAfter(bytes, keyEnd, end);
      const valueEnd = skipValue(bytes, valueAt, end);
      if (valueEnd < 0) throw new MalformedJsonError('metadata');
      // null is the same as absent.
      if (bytes[valueAt] !== 0x6e)
        this.#member(bytes, i + 1, { length: keyEnd - i - 2, at: valueAt - start, end: valueEnd - start });
      i = nextMember(bytes, valueEnd, end);
    }
  }

  #member(
    bytes: Uint8Array,
    key: number,
    value: { readonly length: number; readonly at: number; readonly end: number },
  ): void {
    switch (value.length) {
      case 3:
        if (bytesEqual(bytes, key, 'uid')) [this.uidAt, this.uidEnd] = [value.at, value.end];
        return;
      case 4:
        if (bytesEqual(bytes, key, 'name')) [this.nameAt, this.nameEnd] = [value.at, value.end];
        return;
      case 6:
        if (bytesEqual(bytes, key, 'labels')) this.labelsAt = value.at;
        return;
      case 9:
        if (bytesEqual(bytes, key, 'namespace')) [this.namespaceAt, this.namespaceEnd] = [value.at, value.end];
        return;
      case 10:
        if (bytesEqual(bytes, key, 'generation')) [this.generationAt, this.generationEnd] = [value.at, value.end];
        return;
      case 11:
        if (bytesEqual(bytes, key, 'annotations')) this.annotationsAt = value.at;
        return;
      case 13:
        if (bytesEqual(bytes, key, 'managedFields')) [this.managedAt, this.managedEnd] = [value.at, value.end];
        return;
      case 15:
        if (bytesEqual(bytes, key, 'resourceVersion')) {
          [this.resourceVersionAt, this.resourceVersionEnd] = [value.at, value.end];
        } else if (bytesEqual(bytes, key, 'ownerReferences')) this.ownersAt = value.at;
        return;
      case 17:
        if (bytesEqual(bytes, key, 'deletionTimestamp')) this.deletionAt = value.at;
        return;
      default:
    }
  }

  #clear(): void {
    this.nameAt = this.nameEnd = this.namespaceAt = this.namespaceEnd = 0;
    this.uidAt = this.uidEnd = this.resourceVersionAt = this.resourceVersionEnd = 0;
    this.generationAt = this.generationEnd = this.labelsAt = this.annotationsAt = 0;
    this.ownersAt = this.deletionAt = this.managedAt = this.managedEnd = 0;
  }
}

/** Answers the index behind the key that begins at `at`. */
export function keyEndAt(bytes: Uint8Array, at: number, end: number): number {
  const keyEnd = bytes[at] === quote ? skipString(bytes, at + 1, end) : -1;
  if (keyEnd < 0) throw new MalformedJsonError('a member of an object');
  return keyEnd;
}

/** Answers where the value behind a key begins. */
export function valueAfter(bytes: Uint8Array, keyEnd: number, end: number): number {
  return skipSpace(bytes, skipSpace(bytes, keyEnd, end) + 1, end);
}

/** Steps from the end of a value to the next key or the closing brace. */
export function nextMember(bytes: Uint8Array, valueEnd: number, end: number): number {
  if (valueEnd < 0) throw new MalformedJsonError('a value');
  const i = skipSpace(bytes, valueEnd, end);
  return bytes[i] === comma ? skipSpace(bytes, i + 1, end) : i;
}
