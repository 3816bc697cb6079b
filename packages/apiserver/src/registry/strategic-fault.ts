import { DecodeError } from '@kubewright/schema/internal';

type TypeMismatch = NonNullable<DecodeError['mismatch']>;

/**
 * Returns upstream's message for a strategic merge patch whose result does not match the kind's schema. Upstream
 * decodes this result from Go maps instead of JSON, so its messages differ from the JSON decoder's. Mirrors
 * `fromUnstructured` (1.36).
 *
 * @param detail - the JSON decoder's message, returned if upstream's is the same
 */
export function strategicDetail(error: unknown, detail: string): string {
  if (error instanceof DecodeError && error.mismatch) return messageFor(error.mismatch);
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

function messageFor({ found, type, kind, shown }: TypeMismatch): string {
  const from = goKinds[found];
  switch (kind) {
    case 'struct':
      return `cannot restore struct from: ${from}`;
    case 'map':
    case 'slice':
      return `cannot restore ${kind} from ${from}`;
    case 'unmarshaler':
      return `json: cannot unmarshal ${shown ?? (found === 'fraction' ? 'number' : found)} into Go value of type ${type}`;
    case 'string':
      // Go can convert an integer to a string, so upstream rejects it only later, with a different message.
      return found === 'number' ? `cannot convert int64 to ${type}` : 'unrecognized type: string';
    case 'int32':
    case 'int64':
      return found === 'fraction' ? `cannot convert float64 to ${type}` : `unrecognized type: ${kind}`;
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

/** Removes the nulls below keys that the object lacks: upstream's merge removes them before the patch is printed. */
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
