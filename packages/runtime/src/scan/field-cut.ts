import { closeBrace, comma, MalformedJsonError, openBrace, readString, skipSpace, skipValue } from './json-bytes.ts';
import { keyEndAt, nextMember, valueAfter } from './metadata-scan.ts';

/** Fields to keep, by name; `true` keeps the whole subtree. */
export type FieldTree = ReadonlyMap<string, FieldTree | true>;

/** Builds the tree of kept fields from dotted paths; type and metadata are always kept. */
export function fieldTree(paths: readonly string[]): FieldTree {
  const tree = new Map<string, FieldTree | true>();
  for (const path of ['apiVersion', 'kind', 'metadata', ...paths]) addPath(tree, path.split('.'));
  return tree;
}

/**
 * Copies an object's bytes into `target` without the unwanted fields and without parsing. Returns the number of bytes written.
 * `target` must have room for the whole object.
 */
export function cutFields(
  bytes: Buffer,
  span: { readonly start: number; readonly end: number },
  options: { readonly tree: FieldTree; readonly target: Buffer },
): number {
  return copyObject(bytes, { at: span.start, end: span.end, tree: options.tree }, { target: options.target, at: 0 });
}

/** Removes fields from a decoded object; the counterpart of {@link cutFields}, which works on bytes. */
export function cutDecoded(value: unknown, tree: FieldTree): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).flatMap(([name, below]) => {
    const wanted = tree.get(name);
    if (wanted === undefined) return [];
    return [[name, wanted === true ? below : cutDecoded(below, wanted)]];
  });
  return Object.fromEntries(kept);
}

function copyObject(
  bytes: Buffer,
  from: { readonly at: number; readonly end: number; readonly tree: FieldTree },
  to: { readonly target: Buffer; readonly at: number },
): number {
  const { end, tree } = from;
  const { target } = to;
  let out = to.at;
  let i = skipSpace(bytes, from.at, end);
  if (bytes[i] !== openBrace) throw new MalformedJsonError('an object');
  target[out++] = openBrace;
  const first = out;
  i = skipSpace(bytes, i + 1, end);
  while (i < end && bytes[i] !== closeBrace) {
    const keyEnd = keyEndAt(bytes, i, end);
    const valueAt = valueAfter(bytes, keyEnd, end);
    const valueEnd = skipValue(bytes, valueAt, end);
    if (valueEnd < 0) throw new MalformedJsonError('an object');
    const wanted = tree.get(readString(bytes, i, keyEnd));
    if (wanted !== undefined) {
      if (out > first) target[out++] = comma;
      out += bytes.copy(target, out, i, keyEnd);
      target[out++] = 0x3a;
      const whole = wanted === true || bytes[valueAt] !== openBrace;
      out = whole
        ? out + bytes.copy(target, out, valueAt, valueEnd)
        : copyObject(bytes, { at: valueAt, end: valueEnd, tree: wanted }, { target, at: out });
    }
    i = nextMember(bytes, valueEnd, end);
  }
  target[out++] = closeBrace;
  return out;
}

function addPath(tree: Map<string, FieldTree | true>, path: readonly string[]): void {
  const [name = '', ...rest] = path;
  const present = tree.get(name);
  if (present === true) return;
  if (rest.length === 0) {
    tree.set(name, true);
    return;
  }
  const below = (present as Map<string, FieldTree | true> | undefined) ?? new Map<string, FieldTree | true>();
  tree.set(name, below);
  addPath(below, rest);
}
