/** The column after which Go's `yaml.v2` breaks lines. */
const width = 80;

/**
 * Formats a JSON value as YAML like Go's `yaml.v2`, which the API server and controller-gen use: keys are sorted, lists are
 * not indented below their key, multi-line strings are blocks, and only strings that YAML would misread are quoted.
 *
 * @example
 * ```ts
 * formatYaml({ kind: 'ConfigMap', data: { on: 'yes', list: [1] } });
 * // data:
 * //   list:
 * //   - 1
 * //   "on": "yes"
 * // kind: ConfigMap
 * ```
 */
export function formatYaml(value: unknown): string {
  const lines: string[] = [];
  block(value, { indent: '', lines, prefix: '' });
  return `${lines.join('\n')}\n`;
}

interface Place {
  readonly indent: string;
  readonly lines: string[];
  /** Text that precedes the value on its first line, such as a list's dash. */
  readonly prefix: string;
}

function block(value: unknown, place: Place): void {
  const { indent, lines, prefix } = place;
  if (Array.isArray(value)) list(value, place);
  else if (typeof value === 'object' && value !== null) mapping(value as Readonly<Record<string, unknown>>, place);
  else if (typeof value === 'string' && isBlock(value)) literal(value, place);
  else if (typeof value === 'string') folded(scalarText(value), place);
  else lines.push(`${indent}${prefix}${String(value)}`);
}

function isBlock(text: string): boolean {
  // A block cannot represent a leading line break, a trailing empty line, or a last line of only white space.
  return text.includes('\n') && !hasControls(text) && !/^\n|\n\n$|\n[^\S\n]+$/.test(text);
}

function mapping(value: Readonly<Record<string, unknown>>, { indent, lines, prefix }: Place): void {
  const entries = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort(compareKeys);
  if (entries.length === 0) {
    lines.push(`${indent}${prefix}{}`);
    return;
  }
  entries.forEach((key, index) => {
    const isFirst = index === 0;
    // In a list, the first key follows the dash on the same line; the other keys are aligned below it.
    const here = isFirst ? indent : `${indent}${' '.repeat(prefix.length)}`;
    const start = isFirst ? prefix : '';
    const child = value[key];
    const name = `${start}${scalarText(key)}:`;
    const column = isFirst ? `${indent}${' '.repeat(prefix.length)}` : here;
    if (Array.isArray(child) && child.length > 0) {
      lines.push(`${here}${name}`);
      list(child, { indent: column, lines, prefix: '' });
    } else if (typeof child === 'object' && child !== null && !Array.isArray(child) && hasFields(child)) {
      lines.push(`${here}${name}`);
      mapping(child as Readonly<Record<string, unknown>>, { indent: `${column}  `, lines, prefix: '' });
    } else {
      scalarField(child, { here, name, column, lines });
    }
  });
}

function hasFields(value: object): boolean {
  return Object.values(value).some((each) => each !== undefined);
}

interface Field {
  readonly here: string;
  readonly name: string;
  /** The column of the key. */
  readonly column: string;
  readonly lines: string[];
}

function scalarField(value: unknown, { here, name, column, lines }: Field): void {
  if (typeof value === 'string' && isBlock(value)) {
    const mark = value.endsWith('\n') ? '|' : '|-';
    const hint = /^\s/.test(value) ? '2' : '';
    lines.push(`${here}${name} ${mark[0]}${hint}${mark.slice(1)}`);
    for (const line of value.replace(/\n$/, '').split('\n')) lines.push(line === '' ? '' : `${column}  ${line}`);
    return;
  }
  if (typeof value === 'string') {
    lines.push(...fold(`${here}${name} `, scalarText(value), `${column}  `));
    return;
  }
  const text = Array.isArray(value) ? '[]' : typeof value === 'object' && value !== null ? '{}' : String(value);
  lines.push(`${here}${name} ${text}`);
}

function list(value: readonly unknown[], { indent, lines, prefix }: Place): void {
  if (value.length === 0) {
    lines.push(`${indent}${prefix}[]`);
    return;
  }
  value.forEach((each, index) => {
    const here = index === 0 ? indent : `${indent}${' '.repeat(prefix.length)}`;
    block(each, { indent: here, lines, prefix: `${index === 0 ? prefix : ''}- ` });
  });
}

function literal(value: string, { indent, lines, prefix }: Place): void {
  const column = `${indent}${' '.repeat(prefix.length)}`;
  lines.push(`${indent}${prefix}|${/^\s/.test(value) ? '2' : ''}${value.endsWith('\n') ? '' : '-'}`);
  for (const line of value.replace(/\n$/, '').split('\n')) lines.push(line === '' ? '' : `${column}${line}`);
}

function folded(text: string, { indent, lines, prefix }: Place): void {
  lines.push(...fold(`${indent}${prefix}`, text, `${indent}${' '.repeat(prefix.length)}`));
}

/** Breaks lines at single spaces after the maximum width, like Go. Double-quoted strings are not broken. */
function fold(start: string, text: string, indent: string): string[] {
  if (start.length + text.length <= width || text.startsWith('"')) return [start + text];
  const lines: string[] = [];
  let line = start;
  let column = start.length;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string; // the cast is safe: i is within the text
    const isBreak = char === ' ' && column > width && i > 0 && text[i + 1] !== ' ' && text[i - 1] !== ' ';
    if (isBreak && i < text.length - 1) {
      lines.push(line);
      line = indent;
      column = indent.length;
      continue;
    }
    line += char;
    column++;
  }
  return [...lines, line];
}

function hasControls(text: string): boolean {
  return /[^\P{Cc}\n]|[\u2028\u2029\ufeff]/u.test(text) || /[^\S\n]\n/.test(text);
}

/** Matches strings that YAML 1.1 reads as null, a boolean, infinity, NaN or a special key. */
const otherPattern =
  /^(?:|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|y|Y|n|N|[-+]?(?:\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN|<<|=)$/;
const numberPattern =
  /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?)$/;
const datePattern = /^\d{4}-\d\d?-\d\d?(?:(?:[Tt]|\s+)\d\d?:\d\d:\d\d(?:\.\d*)?\s*(?:Z|[-+]\d\d?(?::\d\d)?)?)?$/;

function scalarText(text: string): string {
  if (hasControls(text) || text.includes('\n')) return JSON.stringify(text);
  const isOther = otherPattern.test(text) || (/\d/.test(text) && numberPattern.test(text)) || datePattern.test(text);
  // Quotes a string like Go: in double quotes if YAML would read it as another type, in single quotes if it would break
  // the syntax.
  if (isOther) return JSON.stringify(text);
  const breaksForm =
    /^[-?:](?:\s|$)/.test(text) ||
    /^[[\]{},#&*!|>'"%@`]/.test(text) ||
    /^(?:---|\.\.\.)/.test(text) ||
    /:(?:\s|$)/.test(text) ||
    /\s#/.test(text) ||
    /^\s|\s$/.test(text);
  return breaksForm ? `'${text.replaceAll("'", "''")}'` : text;
}

/** Compares keys like Go's `yaml.v2`: letters sort after other characters, and numbers by value. */
function compareKeys(a: string, b: string): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [x, y] = [a[i] as string, b[i] as string]; // i is within both
    if (x === y) continue;
    const [xIsLetter, yIsLetter] = [/\p{L}/u.test(x), /\p{L}/u.test(y)];
    if (xIsLetter !== yIsLetter) return xIsLetter ? 1 : -1;
    const [n, m] = [/^\d+/.exec(a.slice(i))?.[0], /^\d+/.exec(b.slice(i))?.[0]];
    if (n !== undefined && m !== undefined && Number(n) !== Number(m)) return Number(n) - Number(m);
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}
