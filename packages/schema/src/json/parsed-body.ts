import { KubewrightError } from '@kubewright/apimachinery';

/**
 * A parsed JSON or YAML body.
 *
 * @example
 * ```ts
 * function strictValue({ value, duplicates }: ParsedBody): unknown {
 *   if (duplicates.length > 0) throw badRequest(duplicates.join(', '));
 *   return value;
 * }
 * ```
 */
export interface ParsedBody {
  /** The body as plain data. `__proto__` and `constructor` are ordinary keys. Integers above 2^53 are bigints. */
  readonly value: unknown;
  /**
   * Duplicate keys in the API server's wording: `duplicate field "spec.replicas"` for JSON, `line 7: key "a" already set in
   * map` for YAML. The last value wins.
   */
  readonly duplicates: readonly string[];
  /**
   * Numbers that are not written as integers (`1.0`, `1e3`), by field path. Integer fields reject these numbers even if
   * the value is whole. Absent in most bodies, which have no such numbers.
   */
  readonly numberTokens?: ReadonlyMap<string, string> | undefined;
  readonly format: 'json' | 'yaml';
}

/** Limits for parsing one body. The size in bytes is limited elsewhere, when the body is received. */
export interface BodyLimits {
  /**
   * Maximum nesting depth of objects and lists. Lower than upstream's 10,000, because all later steps recurse.
   * @defaultValue 500
   */
  readonly maxDepth?: number | undefined;
}

export const defaultMaxDepth = 500;

/**
 * Thrown for a body that cannot be parsed. The message matches the API server's parser (1.36), e.g.
 * `invalid character 'x' looking for beginning of value`; the caller adds the context, such as the expected kind. Do
 * not retry.
 *
 * @example
 * ```ts
 * try {
 *   parseJson(Buffer.from('{"replicas": }'));
 * } catch (error) {
 *   if (error instanceof BodyReadError) console.error(`${error.problem}: ${error.message}`);
 *   else throw error;
 * }
 * ```
 */
export class BodyReadError extends KubewrightError {
  readonly code = 'KW4001';
  /**
   * `syntax`: not valid JSON or YAML; `depth`: nested too deeply; `number`: a number out of range, which upstream rounds;
   * `encoding`: invalid Unicode, which upstream replaces.
   */
  readonly problem: 'syntax' | 'depth' | 'number' | 'encoding';

  constructor(problem: BodyReadError['problem'], message: string, options?: { readonly cause?: unknown }) {
    super({ what: message }, options);
    this.name = 'BodyReadError';
    this.problem = problem;
  }
}

/** Sets `value[key]` as an own property. For `__proto__`, a plain assignment would set the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/**
 * Formats the first 30 bytes of a body for the API server's "couldn't get version/kind" messages: as text if the body looks
 * like JSON, otherwise in hexadecimal.
 */
export function previewBody(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const head = bytes.subarray(0, 30);
  const more = bytes.length > 30 ? ' ...' : '';
  if (bytes[0] === 0x7b) return new TextDecoder().decode(head) + more;
  let hex = '';
  for (const byte of head) hex += byte.toString(16).padStart(2, '0');
  return hex + more;
}
