/**
 * Returns the error of Go's parser for the expressions of `kubectl -o jsonpath`; undefined if the text is valid. Mirrors
 * `jsonpath.Parse` (client-go 1.36).
 */
export function jsonPathFault(text: string): string | undefined {
  return new Scanner(`{${text}}`).text();
}

/** A code point that ends a field, an identifier or an escape. */
const terminators: ReadonlySet<string | undefined> = new Set([' ', '\t', '\r', '\n', undefined, ...'.,[]$@{}']);

class Scanner {
  readonly #input: readonly string[];
  #at = 0;
  /** True after `..`, which must not follow itself. */
  #descends = false;

  constructor(input: string) {
    this.#input = [...input];
  }

  /** Scans text outside of actions. */
  text(): string | undefined {
    const start = this.#input.indexOf('{', this.#at);
    if (start < 0) return undefined;
    this.#at = start + 1;
    this.#descends = false;
    return this.#action();
  }

  #action(): string | undefined {
    for (;;) {
      if (this.#skip('}')) return this.text();
      if (this.#skip('..')) {
        if (this.#descends) return 'invalid multiple recursive descent';
        this.#descends = true;
        if (/^[\p{L}\p{Nd}_]/u.test(this.#input[this.#at] ?? '')) this.#field();
        continue;
      }
      const fault = this.#skip('[?(') ? this.#filter() : this.#step();
      if (fault !== undefined) return fault;
    }
  }

  #step(): string | undefined {
    const first = this.#input[this.#at++];
    if (first === undefined || first === '\n' || first === '\r') return 'unclosed action';
    if (' @$'.includes(first)) return undefined;
    if (first === '[') return this.#array();
    if (first === '"' || first === "'") return this.#quote(first);
    if (first === '.') return this.#field();
    this.#at--;
    if (/^[-+\p{Nd}]/u.test(first)) return this.#number();
    if (/^[\p{L}_]/u.test(first)) return this.#identifier();
    const code = (first.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `unrecognized character in action: U+${code} '${first}'`;
  }

  #field(): undefined {
    while (!terminators.has(this.#input[this.#at])) this.#at += this.#input[this.#at] === '\\' ? 2 : 1;
    this.#descends = false;
  }

  #identifier(): undefined {
    while (!terminators.has(this.#input[this.#at])) this.#at++;
    this.#descends = false;
  }

  #number(): string | undefined {
    const start = this.#at++;
    while (/^[.\p{Nd}]/u.test(this.#input[this.#at] ?? '')) this.#at++;
    const number = this.#input.slice(start, this.#at).join('');
    this.#descends = false;
    return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(number) ? undefined : `cannot parse number ${number}`;
  }

  #array(): string | undefined {
    const start = this.#at;
    const end = this.#input.findIndex((one, index) => index >= start && (one === ']' || one === '\n'));
    if (end < 0 || this.#input[end] === '\n') return 'unterminated array';
    this.#at = end + 1;
    this.#descends = false;
    return arrayFault(this.#input.slice(start, end).join(''));
  }

  #filter(): string | undefined {
    const start = this.#at;
    let [begins, ends, pair] = [false, false, ''];
    for (;;) {
      const one = this.#input[this.#at++];
      if (one === undefined || one === '\n') return 'unterminated filter';
      if (one === ')' && begins === ends) break;
      if (one !== '"' && one !== "'") continue;
      if (begins) ends ||= this.#input[this.#at - 2] !== '\\' && one === pair;
      else [begins, pair] = [true, one];
    }
    if (this.#input[this.#at++] !== ']') return 'unclosed array expect ]';
    const filter = this.#input.slice(start, this.#at - 2).join('');
    const [, left, , right] = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(filter) ?? [];
    this.#descends = false;
    if (left === undefined || right === undefined) return jsonPathFault(filter);
    return jsonPathFault(left) ?? jsonPathFault(right);
  }

  #quote(mark: string): string | undefined {
    const start = this.#at - 1;
    for (;;) {
      const one = this.#input[this.#at++];
      if (one === undefined || one === '\n') return 'unterminated quoted string';
      if (one === mark && this.#input[this.#at - 2] !== '\\') break;
    }
    this.#descends = false;
    const quoted = this.#input.slice(start, this.#at).join('');
    const escapes = /\\(?!x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[0-7]{3}|[abfnrtv\\"'])/i;
    return escapes.test(quoted) ? `unquote string ${quoted} error invalid syntax` : undefined;
  }

  #skip(prefix: string): boolean {
    const isNext = [...prefix].every((one, index) => this.#input[this.#at + index] === one);
    if (isNext) this.#at += prefix.length;
    return isNext;
  }
}

/** Checks the text between `[` and `]`: an index, a slice, a quoted key, or several of them. */
function arrayFault(text: string): string | undefined {
  const parts = text.split(',');
  if (parts.length > 1) {
    for (const part of parts) {
      const fault = jsonPathFault(`[${part.replace(/^ +| +$/g, '')}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  const [, key] = /^'([^']*)'$/.exec(text) ?? [];
  if (key !== undefined) return jsonPathFault(`.${key}`);
  const slice = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text === '*' ? ':' : text);
  if (slice === null) return `invalid array index ${text}`;
  return slice.slice(1).some((part) => part?.endsWith('-')) ? 'array index - is not a number' : undefined;
}
