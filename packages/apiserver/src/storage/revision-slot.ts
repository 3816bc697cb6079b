import { Buffer } from 'node:buffer';
import { parseExactJson, stringifyJson } from '@kubewright/apimachinery/internal';
import { shortLivedBytes } from './short-lived-bytes.ts';
import type { StoredObject } from './storage.ts';

/** A stored value and the revision to insert into it; 0 inserts none. */
type Revisioned = Pick<StoredObject, 'bytes' | 'revision'>;

/** The position in an object's JSON where `metadata.resourceVersion` belongs. */
interface Slot {
  readonly at: number;
  readonly before: ',' | '';
  readonly after: ',' | '';
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const closing = 0x7d;
const metadataKey = Buffer.from('"metadata":{');
/** The fields of metadata that precede the resourceVersion, as kube-apiserver orders them (1.36). */
const precedingKeys = ['"name":"', '"generateName":"', '"namespace":"', '"selfLink":"', '"uid":"'].map((key) =>
  Buffer.from(key),
);

/** Returns an object's JSON with its revision as `metadata.resourceVersion`. */
export function withRevision(stored: Revisioned): Uint8Array {
  const { bytes, revision } = stored;
  if (revision === 0) return bytes;
  const slot = slotOf(bytes);
  if (!slot) return reencoded(stored);
  const text = textFor(slot, revision);
  const target = shortLivedBytes(bytes.length + text.length);
  writeAround(target, { bytes, slot, text, offset: 0, start: 0 });
  return target;
}

/** Returns the length of the result of {@link withRevision}. */
export function revisionedLength(stored: Revisioned): number {
  const { bytes, revision } = stored;
  if (revision === 0) return bytes.length;
  const slot = slotOf(bytes);
  return slot ? bytes.length + textFor(slot, revision).length : reencoded(stored).length;
}

/**
 * Writes an object's JSON with its revision to `target` at `offset` and returns the end offset. Skips the first `start` bytes of
 * the JSON, which must end before the metadata.
 */
export function writeRevisioned(target: Uint8Array, offset: number, stored: Revisioned, start = 0): number {
  const { bytes, revision } = stored;
  const slot = revision === 0 ? undefined : slotOf(bytes);
  if (!slot) {
    const whole = revision === 0 ? bytes : reencoded(stored);
    target.set(start === 0 ? whole : whole.subarray(start), offset);
    return offset + whole.length - start;
  }
  return writeAround(target, { bytes, slot, text: textFor(slot, revision), offset, start });
}

function writeAround(
  target: Uint8Array,
  from: {
    readonly bytes: Uint8Array;
    readonly slot: Slot;
    readonly text: string;
    readonly offset: number;
    readonly start: number;
  },
): number {
  const { bytes, slot, text, offset, start } = from;
  target.set(bytes.subarray(start, slot.at), offset);
  let end = offset + slot.at - start;
  for (let i = 0; i < text.length; i++) target[end++] = text.charCodeAt(i);
  target.set(bytes.subarray(slot.at), end);
  return end + bytes.length - slot.at;
}

function textFor({ before, after }: Slot, revision: number): string {
  return `${before}"resourceVersion":"${revision}"${after}`;
}

/** Finds the slot in compact JSON that starts with kind, apiVersion and metadata, as servers store it. */
function slotOf(bytes: Uint8Array): Slot | undefined {
  let at = 1;
  while (!startsWith(bytes, at, metadataKey)) {
    // Skip a member with a string value: kind or apiVersion.
    const colon = endOfString(bytes, at);
    if (colon === 0 || bytes[colon + 1] !== quote) return undefined;
    at = endOfString(bytes, colon + 1) + 1;
    if (at === 1 || bytes[at - 1] !== comma) return undefined;
  }
  at += metadataKey.length;
  if (bytes[at] === closing) return { at, before: '', after: '' };
  const first = at;
  for (const key of precedingKeys) {
    if (!startsWith(bytes, at, key)) continue;
    const end = endOfString(bytes, at + key.length - 1);
    if (bytes[end] !== comma) return end === 0 ? undefined : { at: end, before: ',', after: '' };
    at = end + 1;
  }
  return at === first ? { at, before: '', after: ',' } : { at: at - 1, before: ',', after: '' };
}

/** Returns the offset after the JSON string that starts at `at`, or 0 if no string starts there. */
function endOfString(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== quote) return 0;
  for (let i = at + 1; i < bytes.length; i++) {
    if (bytes[i] === backslash) i++;
    else if (bytes[i] === quote) return i + 1;
  }
  return 0;
}

function startsWith(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
  return true;
}

/** Handles JSON in a different layout, which other programs may have stored. */
function reencoded({ bytes, revision }: Revisioned): Uint8Array {
  const { kind, apiVersion, metadata, ...rest } = parseExactJson(Buffer.from(bytes).toString('utf8')) as Readonly<
    Record<string, object>
  >;
  const versioned = { ...metadata, resourceVersion: String(revision) };
  return Buffer.from(stringifyJson({ kind, apiVersion, metadata: versioned, ...rest }));
}
