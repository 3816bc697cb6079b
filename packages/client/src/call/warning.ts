/** A warning that the API server sent with an answer (RFC 7234, code 299), such as the use of a deprecated version. */
export interface ApiWarning {
  readonly text: string;
  /** Who warns; `-` when the server does not say. */
  readonly agent: string;
}

const MAX_WARNINGS = 64;

/**
 * Reads a `Warning` header: `299 agent "text"`, several divided by commas. Other codes and malformed parts are left out;
 * at most 64 are read.
 */
export function parseWarnings(header: string): ApiWarning[] {
  const warnings: ApiWarning[] = [];
  const pattern = /\s*(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)/y;
  while (pattern.lastIndex < header.length && warnings.length < MAX_WARNINGS) {
    const match = pattern.exec(header);
    if (!match) break;
    const [, code, agent = '-', quoted = ''] = match;
    if (code === '299') warnings.push({ text: quoted.replace(/\\(.)/g, '$1'), agent });
  }
  return warnings;
}

/** Hands each text on once. Remembers a bounded number: a server that varies its texts cannot fill the memory. */
export class WarningFilter {
  readonly #seen = new Set<string>();
  readonly #limit: number;

  constructor(limit: number = 1024) {
    this.#limit = limit;
  }

  /** True the first time that this text comes. */
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
