import { closeBracket, comma, openBracket } from '../scan/json-bytes.ts';
import { type ByteSpan, ownManagedFields } from '../scan/managed-fields-cut.ts';
import type { MetadataScan } from '../scan/metadata-scan.ts';
import type { Slab, SlabAllocator } from './slab.ts';

/** The bytes of an object, `bytes[start, end)`, and the scan of its metadata. */
export interface ScannedObject {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly scan: MetadataScan;
}

/** The location of an object's copy. Subtract `shift` from scan offsets that lie after the managed fields. */
export interface ObjectCopy {
  readonly slab: Slab;
  readonly offset: number;
  readonly length: number;
  readonly shift: number;
}

/** Copies an object into a slab, without the managed fields of other managers. */
export function copyObject(
  slabs: SlabAllocator,
  { bytes, start, end, scan: { managedAt, managedEnd } }: ScannedObject,
  ownManagers: ReadonlySet<string>,
): ObjectCopy {
  if (managedAt === 0) {
    const slab = slabs.reserve(end - start);
    const offset = slab.used;
    bytes.copy(slab.bytes, offset, start, end);
    slabs.commit(slab, end - start);
    return { slab, offset, length: end - start, shift: 0 };
  }
  const span = { at: start + managedAt, end: start + managedEnd };
  const kept = ownManagedFields(bytes, span, ownManagers);
  const keptLength = 2 + Math.max(kept.length - 1, 0) + kept.reduce((sum, each) => sum + each.end - each.at, 0);
  const shift = managedEnd - managedAt - keptLength;
  const length = end - start - shift;
  const slab = slabs.reserve(length);
  const offset = slab.used;
  bytes.copy(slab.bytes, offset, start, span.at);
  writeArray(bytes, kept, { to: slab.bytes, at: offset + managedAt });
  bytes.copy(slab.bytes, offset + managedAt + keptLength, span.end, end);
  slabs.commit(slab, length);
  return { slab, offset, length, shift };
}

function writeArray(
  from: Buffer,
  spans: readonly ByteSpan[],
  target: { readonly to: Buffer; readonly at: number },
): void {
  let at = target.at;
  target.to[at++] = openBracket;
  spans.forEach((span, index) => {
    if (index > 0) target.to[at++] = comma;
    at += from.copy(target.to, at, span.at, span.end);
  });
  target.to[at] = closeBracket;
}
