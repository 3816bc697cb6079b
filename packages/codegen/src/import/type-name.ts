/** `podSelector` → `PodSelector`, `my-field.x` → `MyFieldX`. */
export function typeName(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('');
}

/** Formats a property name in TypeScript syntax. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** Formats a field name for an object literal. Escapes `__proto__`, which would set the prototype. */
function fieldName(name: string): string {
  return name === '__proto__' ? `['__proto__']` : propertyName(name);
}

/** Formats a string literal in single quotes. Escapes every character that could end the line or the string. */
function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped.replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;
}

/** Formats a value in TypeScript syntax. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([name, each]) => `${fieldName(name)}: ${literal(each)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

/** Names that files of imported kinds use themselves. A kind with one of these names gets a number. */
const used: readonly string[] = [
  'Kind',
  'KubernetesObject',
  'ObjectOf',
  'IntOrString',
  'Record',
  'Readonly',
  'NaN',
  'Infinity',
];

/** Allocates unique identifiers for a file. */
export class TypeNames {
  readonly #taken = new Set<string>(used);

  /** Returns the name, with a number appended if it is taken. */
  take(name: string): string {
    let free = name;
    for (let i = 2; this.#taken.has(free); i++) free = `${name}${i}`;
    this.#taken.add(free);
    return free;
  }
}
