import type { Token, TokenKind } from './lexer.ts';

/** All tokens, in the order in which messages list them. */
const tokenOrder =
  "'[' ']' '{' '}' '(' ')' '.' ',' '-' '!' '?' 'true' 'false' 'null' NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER".split(
    ' ',
  );
/** Tokens other than an operand that are valid at the start of arguments, an index, a list or a map. */
const operandExtras = { none: '', args: ')', index: '?', list: '],?', map: '},?' } as const;

/** The context in which the parser expects an operand. */
export type OperandPlace = keyof typeof operandExtras;

/** Formats the tokens that are valid where an operand is expected, for syntax errors. */
export function expectingOperand(place: OperandPlace): string {
  const extras = operandExtras[place];
  const tokens = tokenOrder.filter(
    (token) => !'])},?'.includes(token[1]!) || token[0] !== "'" || extras.includes(token[1]!),
  );
  return `{${tokens.join(', ')}}`;
}

const operandKinds = new Set<TokenKind>(['ident', 'int', 'uint', 'float', 'string', 'bytes']);
const operandOps = new Set(['[', '{', '(', '.', '-', '!', 'true', 'false', 'null']);

/** True if an operand can start with the token. */
export function startsOperand(token: Token): boolean {
  return operandKinds.has(token.kind) || (token.kind === 'op' && operandOps.has(token.text));
}
