import { BodyReadError, setOwn } from './parsed-body.ts';

/** The result of {@link parseStrictJson}. */
export interface StrictJson {
  readonly value: unknown;
  readonly duplicates: readonly string[];
  readonly numberTokens: ReadonlyMap<string, string> | undefined;
}

const maxReported = 100;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Parses JSON with full diagnostics: the messages of Go's scanner, duplicate keys with their paths, number tokens. Slow, so
 * {@link parseJson} uses it only for bodies that its fast path cannot handle.
 *
 * @throws {@link BodyReadError}
 */
export function parseStrictJson(text: string, maxDepth: number): StrictJson {
  return new StrictJsonParser(text, maxDepth).parse();
}

class StrictJsonParser {
  private readonly text: string;
  private readonly maxDepth: number;
  private at = 0;
  private depth = 0;
  private path = '';
  private readonly duplicates = new Set<string>();
  private numberTokens: Map<string, string> | undefined;
  // The first error that is not a syntax error. Thrown at the end, because upstream checks the syntax of the whole body
  // first.
  private contentError: BodyReadError | undefined;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  parse(): StrictJson {
    const value = this.value('looking for beginning of value');
    this.space();
    if (this.at < this.text.length) this.fail('after top-level value');
    if (this.contentError !== undefined) throw this.contentError;
    return { value, duplicates: [...this.duplicates], numberTokens: this.numberTokens };
  }

  private fail(context: string): never {
    if (this.at >= this.text.length) throw new BodyReadError('syntax', 'unexpected end of JSON input');
    throw new BodyReadError('syntax', `invalid character ${quoteFirstByte(this.text, this.at)} ${context}`);
  }

  private space(): void {
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
      this.at++;
    }
  }

  private value(context: string): unknown {
    this.space();
    const c = this.text[this.at];
    if (c === '{') return this.object();
    if (c === '[') return this.array();
    if (c === '"') return this.string();
    if (c === 't') return this.literal('true', true);
    if (c === 'f') return this.literal('false', false);
    if (c === 'n') return this.literal('null', null);
    if (c === '-' || (c !== undefined && c >= '0' && c <= '9')) return this.number();
    return this.fail(context);
  }

  private enter(): void {
    if (++this.depth > this.maxDepth) {
      throw new BodyReadError('depth', `invalid character '${this.text[this.at]}' exceeded max depth`);
    }
    this.at++;
  }

  private object(): Record<string, unknown> {
    this.enter();
    const result: Record<string, unknown> = {};
    const outer = this.path;
    this.space();
    if (this.text[this.at] === '}') {
      this.at++;
      this.depth--;
      return result;
    }
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') this.fail('looking for beginning of object key string');
      const key = this.string();
      this.path = outer === '' ? key : `${outer}.${key}`;
      if (Object.hasOwn(result, key) && this.duplicates.size < maxReported) {
        this.duplicates.add(`duplicate field ${JSON.stringify(this.path)}`);
      }
      this.space();
      if (this.text[this.at] !== ':') this.fail('after object key');
      this.at++;
      setOwn(result, key, this.value('looking for beginning of value'));
      this.path = outer;
      this.space();
      const c = this.text[this.at];
      if (c !== ',' && c !== '}') this.fail('after object key:value pair');
      this.at++;
      if (c === '}') {
        this.depth--;
        return result;
      }
    }
  }

  private array(): unknown[] {
    this.enter();
    const result: unknown[] = [];
    const outer = this.path;
    this.space();
    if (this.text[this.at] === ']') {
      this.at++;
      this.depth--;
      return result;
    }
    for (;;) {
      this.path = `${outer}[${result.length}]`;
      result.push(this.value('looking for beginning of value'));
      this.path = outer;
      this.space();
      const c = this.text[this.at];
      if (c !== ',' && c !== ']') this.fail('after array element');
      this.at++;
      if (c === ']') {
        this.depth--;
        return result;
      }
    }
  }

  private literal<T>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++) {
      if (this.text[this.at] !== word[i]) this.fail(`in literal ${word} (expecting ${quoteChar(word[i] as string)})`);
      this.at++;
    }
    return value;
  }

  private string(): string {
    let from = ++this.at;
    let result = '';
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c === 0x22) break;
      if (c === 0x5c) {
        result += this.text.slice(from, this.at) + this.escape();
        from = this.at;
      } else if (Number.isNaN(c) || c < 0x20) {
        this.fail('in string literal');
      } else {
        this.at++;
      }
    }
    result += this.text.slice(from, this.at);
    this.at++;
    if (loneSurrogate.test(result)) {
      this.contentError ??= new BodyReadError(
        'encoding',
        `the string at ${JSON.stringify(this.path)} contains an unpaired surrogate; use complete surrogate pairs`,
      );
    }
    return result;
  }

  private escape(): string {
    this.at++;
    const c = this.text[this.at];
    if (c === 'u') {
      this.at++;
      const from = this.at;
      for (let i = 0; i < 4; i++) {
        if (!/[0-9a-fA-F]/.test(this.text[this.at] ?? '')) this.fail('in \\u hexadecimal character escape');
        this.at++;
      }
      return String.fromCharCode(Number.parseInt(this.text.slice(from, this.at), 16));
    }
    const plain = c === undefined ? undefined : escapes[c];
    if (plain === undefined) this.fail('in string escape code');
    this.at++;
    return plain;
  }

  private digit(): boolean {
    const c = this.text.charCodeAt(this.at);
    return c >= 0x30 && c <= 0x39;
  }

  private number(): number | bigint {
    const from = this.at;
    let integer = true;
    if (this.text[this.at] === '-') this.at++;
    if (!this.digit()) this.fail('in numeric literal');
    if (this.text[this.at] === '0') this.at++;
    else while (this.digit()) this.at++;
    if (this.text[this.at] === '.') {
      integer = false;
      this.at++;
      if (!this.digit()) this.fail('after decimal point in numeric literal');
      while (this.digit()) this.at++;
    }
    if (this.text[this.at] === 'e' || this.text[this.at] === 'E') {
      integer = false;
      this.at++;
      if (this.text[this.at] === '+' || this.text[this.at] === '-') this.at++;
      if (!this.digit()) this.fail('in exponent of numeric literal');
      while (this.digit()) this.at++;
    }
    return this.numberValue(this.text.slice(from, this.at), integer);
  }

  private numberValue(token: string, integer: boolean): number | bigint {
    const value = Number(token);
    if (integer && !Number.isSafeInteger(value) && Math.abs(value) <= 2 ** 63) {
      const exact = BigInt(token);
      if (BigInt.asIntN(64, exact) === exact) return exact;
    }
    if (!Number.isFinite(value)) {
      this.contentError ??= new BodyReadError(
        'number',
        `json: cannot unmarshal number ${token} into Go value of type float64`,
      );
    } else if (!integer || Math.abs(value) >= 2 ** 63) {
      this.numberTokens ??= new Map();
      this.numberTokens.set(this.path, token);
    }
    return value;
  }
}

const loneSurrogate = /\p{Surrogate}/u;

/** Quotes the first byte of a non-ASCII character as Latin-1, because Go's scanner reads bytes. */
function quoteFirstByte(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0;
  if (code < 0x80) return quoteChar(text[at] as string);
  return quoteChar(String.fromCharCode(new TextEncoder().encode(String.fromCodePoint(code))[0] as number));
}

const namedEscapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  "'": "\\'",
  '"': '"',
  '\\': '\\\\',
};

function quoteChar(char: string): string {
  const code = char.charCodeAt(0);
  const named = namedEscapes[char];
  if (named !== undefined) return `'${named}'`;
  if (code < 0x20 || code === 0x7f) return `'\\x${code.toString(16).padStart(2, '0')}'`;
  if ((code >= 0x80 && code <= 0xa0) || code === 0xad) return `'\\u${code.toString(16).padStart(4, '0')}'`;
  return `'${char}'`;
}
