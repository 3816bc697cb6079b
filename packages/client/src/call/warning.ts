/** A warning that the API server sent with a response (RFC 7234, code 299), such as the use of a deprecated version. */
export interface ApiWarning {
  readonly text: string;
  /** The source of the warning; `-` if the server does not name one. */
  readonly agent: string;
}

const maxWarnings = 64;

/**
 * Parses a `Warning` header: `299 agent "text"`, several separated by commas. Skips other codes and malformed parts; returns at
 * most 64 warnings.
 */
export function parseWarnings(header: string): ApiWarning[] {
  const warnings: ApiWarning[] = [];
  const pattern = /\s*(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)/y;
  while (pattern.lastIndex < header.length && warnings.length < maxWarnings) {
    const match = pattern.exec(header);
    if (!match) break;
    const [, code, agent = '-', quoted = ''] = match;
    if (code === '299') warnings.push({ text: quoted.replace(/\\(.)/g, '$1'), agent });
  }
  return warnings;
}

/**
 * Passes each warning on only once. Remembers a limited number of warnings, so a server that keeps varying its warnings
 * cannot exhaust memory.
 */
export class WarningFilter {
  readonly #seen = new Set<string>();
  readonly #limit: number;

  constructor(limit: number = 1024) {
    this.#limit = limit;
  }

  /** True the first time this warning is seen. */
  isNew(warning: ApiWarning): boolean {
    if (this.#seen.has(warning.text)) return false;
    if (this.#seen.size >= this.#limit) {
      const oldest = this.#seen.values().next();
      if (!oldest.done) this.#seen.delete(oldest.value);
    }
    this.#seen.add(warning.text);
    return true;
  }
}
