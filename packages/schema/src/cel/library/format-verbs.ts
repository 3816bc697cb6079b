import type { TypeKind } from '../types/cel-type.ts';

/** A clause of a format string, starting at `%`. `end` is the offset after the clause. */
export type Clause =
  | { readonly kind: 'percent'; readonly end: number }
  | { readonly kind: 'verb'; readonly verb: string; readonly precision: number | undefined; readonly end: number }
  | { readonly kind: 'fault'; readonly message: string };

const maxPrecision = 100;

/** Parses the formatting clause at a `%`. */
export function nextClause(text: string, at: number): Clause {
  if (text[at + 1] === '%') return { kind: 'percent', end: at + 2 };
  if (at + 1 >= text.length) return { kind: 'fault', message: 'unexpected end of string' };
  const clause = /%(?:\.(\d*))?(.?)/suy;
  clause.lastIndex = at;
  const match = clause.exec(text)!;
  const [whole, digits, verb = ''] = match;
  const prefix = 'could not parse formatting clause: error while parsing precision: ';
  if (verb === '') return { kind: 'fault', message: `${prefix}could not find end of precision specifier` };
  if (digits === '') {
    const reason = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
    return { kind: 'fault', message: prefix + reason };
  }
  const precision = digits === undefined ? undefined : Number(digits);
  if (precision !== undefined && precision > maxPrecision) {
    return { kind: 'fault', message: `${prefix}precision ${digits} is too large` };
  }
  return { kind: 'verb', verb, precision, end: at + whole.length };
}

/** A verb of a format string: the types it accepts, and the error message for other types. */
export interface Verb {
  readonly kinds: ReadonlySet<TypeKind>;
  readonly fault: string;
}

const verbs: ReadonlyMap<string, Verb> = new Map([
  [
    's',
    {
      kinds: new Set<TypeKind>(
        'list map int uint double bool string timestamp bytes duration type null'.split(' ') as TypeKind[],
      ),
      fault:
        'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    },
  ],
  ['d', { kinds: new Set<TypeKind>(['int', 'uint']), fault: 'decimal clause can only be used on integers' }],
  ['f', { kinds: new Set<TypeKind>(['double', 'string']), fault: 'fixed-point clause can only be used on doubles' }],
  ['e', { kinds: new Set<TypeKind>(['double', 'string']), fault: 'scientific clause can only be used on doubles' }],
  [
    'b',
    { kinds: new Set<TypeKind>(['int', 'uint', 'bool']), fault: 'only integers and bools can be formatted as binary' },
  ],
  [
    'x',
    {
      kinds: new Set<TypeKind>(['int', 'uint', 'string', 'bytes']),
      fault: 'only integers, byte buffers, and strings can be formatted as hex',
    },
  ],
  [
    'X',
    {
      kinds: new Set<TypeKind>(['int', 'uint', 'string', 'bytes']),
      fault: 'only integers, byte buffers, and strings can be formatted as hex',
    },
  ],
  ['o', { kinds: new Set<TypeKind>(['int', 'uint']), fault: 'octal clause can only be used on integers' }],
]);

/** Returns the verb for a letter, or an error message if the letter is not a verb. */
export function verbOf(letter: string): Verb | string {
  return verbs.get(letter) ?? `unrecognized formatting clause ${JSON.stringify(letter)}`;
}
