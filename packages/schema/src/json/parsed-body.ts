/** What a reader hands back for one body, whichever format it came in. */
export interface ParsedBody {
  /** Plain data: own properties only, `__proto__` and `constructor` are keys like any other. */
  readonly value: unknown;
  /**
   * Keys that were written twice, as the API server words it: `duplicate field "spec.replicas"` for JSON,
   * `line 7: key "a" already set in map` for YAML. The last one written won.
   */
  readonly duplicates: readonly string[];
  /**
   * Numbers that were not written as an integer (`1.0`, `1e3`), by field path: typed integer fields refuse them although
   * the value is whole. Absent when there is none, which is nearly always.
   */
  readonly numberTokens?: ReadonlyMap<string, string> | undefined;
  readonly format: 'json' | 'yaml';
}

/** Limits on one body. The size in bytes is limited where the body is received. */
export interface BodyLimits {
  /**
   * Deepest nesting of objects and lists. Upstream stops at 10,000; everything after the reader recurses, so ours is lower.
   * @defaultValue 500
   */
  readonly maxDepth?: number | undefined;
}

export const DEFAULT_MAX_DEPTH = 500;

/**
 * A body that cannot be read. `message` is what the API server's own reader says (1.36), e.g.
 * `invalid character 'x' looking for beginning of value`; the caller adds what it was reading. Never worth a retry.
 */
export class BodyReadError extends Error {
  readonly code = 'KW4001';
  /**
   * `syntax`: not JSON or not YAML; `depth`: too deep; `number`: an integer that a double cannot hold exactly;
   * `encoding`: bytes or escapes that are not Unicode text. The last two are differences from upstream, which rounds and replaces.
   */
  readonly problem: 'syntax' | 'depth' | 'number' | 'encoding';

  constructor(problem: BodyReadError['problem'], message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'BodyReadError';
    this.problem = problem;
  }
}

/** Writes `value[key]` as an own property, also for `__proto__`, which a plain assignment would take for the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/**
 * Shows the start of a body as the API server does in "couldn't get version/kind" messages: text if it looks like JSON,
 * hexadecimal otherwise, at most 30 bytes.
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
