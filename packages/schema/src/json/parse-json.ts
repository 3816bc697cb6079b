import { type BodyLimits, BodyReadError, defaultMaxDepth, type ParsedBody } from './parsed-body.ts';
import { parseStrictJson } from './strict-json-parser.ts';

const none: readonly string[] = [];

/**
 * Parses a JSON body strictly: rejects invalid UTF-8, trailing data, nesting beyond the limit and lone surrogates, and
 * reports duplicate keys. Integers above 2^53 that fit in 64 bits become bigints.
 *
 * Nearly every body takes the fast path: a scan of the bytes counts the keys and checks the depth, then `JSON.parse`
 * builds the value. If the value has fewer keys than the scan counted, the body has duplicates. Bodies with duplicates
 * or anything else unusual go to the slow parser, which produces the API server's messages.
 *
 * @throws {@link BodyReadError} with the API server's message (1.36).
 *
 * @example
 * ```ts
 * const { value, duplicates } = parseJson(Buffer.from('{"replicas": 1, "replicas": 2}'));
 * console.warn(duplicates); // [ 'duplicate field "replicas"' ]
 * ```
 */
export function parseJson(bytes: Uint8Array, limits: BodyLimits = {}): ParsedBody {
  const maxDepth = limits.maxDepth ?? defaultMaxDepth;
  const text = decodeUtf8(bytes);
  const keys = scan(bytes, maxDepth);
  if (keys >= 0) {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return slow(text, maxDepth); // throws the error with the message of Go's scanner
    }
    if (countKeys(value) === keys) return { value, duplicates: none, format: 'json' };
  }
  return slow(text, maxDepth);
}

function slow(text: string, maxDepth: number): ParsedBody {
  const { value, duplicates, numberTokens } = parseStrictJson(text, maxDepth);
  return { value, duplicates, numberTokens, format: 'json' };
}

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8; throws if the bytes are invalid. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new BodyReadError('encoding', 'the body is not valid UTF-8', { cause });
  }
}

/**
 * Counts the keys of a body without parsing it. Returns -1 if the slow parser is needed, because nesting is too deep, a
 * number is not a short integer, or a surrogate is escaped. The count is meaningless for a body that is not JSON, but
 * the parser rejects such bodies.
 */
function scan(bytes: Uint8Array, maxDepth: number): number {
  const length = bytes.length;
  let keys = 0;
  let depth = 0;
  for (let i = 0; i < length; i++) {
    const c = bytes[i] as number;
    if (c === 0x22) {
      for (i++; i < length; i++) {
        const s = bytes[i] as number;
        if (s === 0x22) break;
        if (s === 0x5c) {
          i++;
          if (bytes[i] === 0x75 && isSurrogateEscape(bytes, i)) return -1;
        }
      }
    } else if (c === 0x3a) {
      keys++;
    } else if (c === 0x7b || c === 0x5b) {
      if (++depth > maxDepth) return -1;
    } else if (c === 0x7d || c === 0x5d) {
      depth--;
    } else if (c >= 0x30 && c <= 0x39) {
      const from = i;
      while (i + 1 < length && isDigit(bytes[i + 1] as number)) i++;
      const next = bytes[i + 1];
      if (i - from >= 15 || next === 0x2e || next === 0x65 || next === 0x45) return -1;
    }
  }
  return keys;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isSurrogateEscape(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at + 1];
  if (first !== 0x64 && first !== 0x44) return false;
  const second = bytes[at + 2] as number;
  return second === 0x38 || second === 0x39 || second > 0x40;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item === 'object' && item !== null) keys += countKeys(item);
    }
    return keys;
  }
  const object = value as Record<string, unknown>; // the cast is safe: JSON.parse creates plain objects only
  for (const key in object) {
    keys++;
    const item = object[key];
    if (typeof item === 'object' && item !== null) keys += countKeys(item);
  }
  return keys;
}
