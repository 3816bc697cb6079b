import { DecodeError } from '@kubewright/schema/internal';

type TypeMismatch = NonNullable<DecodeError['mismatch']>;

/**
 * Returns upstream's message for a strategic merge patch whose result does not fit its kind: the error of the converter that reads
 * maps instead of JSON. Mirrors `fromUnstructured` (1.36).
 *
 * @param detail - of the JSON decoder, for faults that both word alike
 */
export function strategicDetail(error: unknown, detail: string): string {
  if (error instanceof DecodeError && error.mismatch) return wordsOf(error.mismatch) ?? detail;
  return detail.startsWith('illegal base64') ? `error decoding from json: ${detail}` : detail;
}

const goKinds: Readonly<Record<TypeMismatch['found'], string>> = {
  object: 'map',
  array: 'slice',
  string: 'string',
  bool: 'bool',
  number: 'int64',
  fraction: 'float64',
  null: '<nil>',
};

function wordsOf({ found, type, kind }: TypeMismatch): string | undefined {
  const from = goKinds[found];
  switch (kind) {
    case 'struct':
      return `cannot restore struct from: ${from}`;
    case 'map':
    case 'slice':
      return `cannot restore ${kind} from ${from}`;
    case 'unmarshaler':
      return `json: cannot unmarshal ${found === 'fraction' ? 'number' : found} into Go value of type string`;
    case 'string':
      // Go can convert integers to strings, so the converter gets as far as rejecting it.
      return found === 'number' ? `cannot convert int64 to ${type}` : 'unrecognized type: string';
    case 'int32':
    case 'int64':
      if (found === 'fraction') return `cannot convert float64 to ${type}`;
      // Integers that are too large: the JSON decoder's words.
      return found === 'number' ? undefined : `unrecognized type: ${kind}`;
    default:
      return `unrecognized type: ${kind}`;
  }
}

/** Formats a value like Go's `%v`. */
export function goText(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${goText(item)}`).join(' ')}]`;
}

/** Removes the nulls below the keys that the object lacks, as upstream's merge does with the patch that it prints. */
export function withoutUnmatchedNulls(patch: unknown, object: unknown): unknown {
  if (!isMap(patch)) return patch;
  const live = isMap(object) ? object : {};
  return Object.fromEntries(
    Object.entries(patch).map(([key, value]) => {
      const isKnown = Object.hasOwn(live, key) && live[key] !== null;
      return [key, isKnown ? withoutUnmatchedNulls(value, live[key]) : withoutNulls(value)];
    }),
  );
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
