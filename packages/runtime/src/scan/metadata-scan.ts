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
 * The positions of an object's metadata in its bytes, relative to the object's first byte. 0 means missing, because no value can
 * start at an object's first byte. One instance is reused for many objects.
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
  /** Position of the current value. */
  #at = 0;
  #end = 0;

  /** Scans the object in `bytes[start, end)`; reads nothing after its metadata. */
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
    throw new MalformedJsonError('the metadata of an object');
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
      this.#at = valueAt - start;
      this.#end = valueEnd - start;
      // null counts as absent.
      if (bytes[valueAt] !== 0x6e) this.#member(bytes, i + 1, keyEnd - i - 2);
      i = nextMember(bytes, valueEnd, end);
    }
  }

  /**
   * Records the position of a field's value. Allocates nothing, because most objects are read at startup, before V8 has
   * optimized this code.
   */
  #member(bytes: Uint8Array, key: number, length: number): void {
    switch (length) {
      case 3:
        if (!bytesEqual(bytes, key, 'uid')) return;
        this.uidAt = this.#at;
        this.uidEnd = this.#end;
        return;
      case 4:
        if (!bytesEqual(bytes, key, 'name')) return;
        this.nameAt = this.#at;
        this.nameEnd = this.#end;
        return;
      case 6:
        if (bytesEqual(bytes, key, 'labels')) this.labelsAt = this.#at;
        return;
      case 9:
        if (!bytesEqual(bytes, key, 'namespace')) return;
        this.namespaceAt = this.#at;
        this.namespaceEnd = this.#end;
        return;
      case 10:
        if (!bytesEqual(bytes, key, 'generation')) return;
        this.generationAt = this.#at;
        this.generationEnd = this.#end;
        return;
      case 11:
        if (bytesEqual(bytes, key, 'annotations')) this.annotationsAt = this.#at;
        return;
      case 13:
        if (!bytesEqual(bytes, key, 'managedFields')) return;
        this.managedAt = this.#at;
        this.managedEnd = this.#end;
        return;
      case 15:
        if (bytesEqual(bytes, key, 'ownerReferences')) this.ownersAt = this.#at;
        if (!bytesEqual(bytes, key, 'resourceVersion')) return;
        this.resourceVersionAt = this.#at;
        this.resourceVersionEnd = this.#end;
        return;
      case 17:
        if (bytesEqual(bytes, key, 'deletionTimestamp')) this.deletionAt = this.#at;
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

/** Returns the index after the key that starts at `at`. */
export function keyEndAt(bytes: Uint8Array, at: number, end: number): number {
  const keyEnd = bytes[at] === quote ? skipString(bytes, at + 1, end) : -1;
  if (keyEnd < 0) throw new MalformedJsonError('a field of an object');
  return keyEnd;
}

/** Returns the index where the value after a key starts. */
export function valueAfter(bytes: Uint8Array, keyEnd: number, end: number): number {
  return skipSpace(bytes, skipSpace(bytes, keyEnd, end) + 1, end);
}

/** Skips from the end of a value to the next key or the closing brace. */
export function nextMember(bytes: Uint8Array, valueEnd: number, end: number): number {
  if (valueEnd < 0) throw new MalformedJsonError('a value');
  const i = skipSpace(bytes, valueEnd, end);
  return bytes[i] === comma ? skipSpace(bytes, i + 1, end) : i;
}
