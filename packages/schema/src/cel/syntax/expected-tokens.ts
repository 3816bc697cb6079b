import type { Token, TokenKind } from './lexer.ts';

/** Tokens in the order in which messages list them. */
const TOKEN_ORDER =
  "'[' ']' '{' '}' '(' ')' '.' ',' '-' '!' '?' 'true' 'false' 'null' NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER".split(
    ' ',
  );
/** Tokens allowed in addition to an operand, per place: at the start of arguments, indices, lists, maps. */
const OPERAND_EXTRAS = { none: '', args: ')', index: '?', list: '],?', map: '},?' } as const;

/** The place where an operand is missing. */
export type OperandPlace = keyof typeof OPERAND_EXTRAS;

/** Returns the list of expected tokens, as in syntax errors. */
export function expectingOperand(place: OperandPlace): string {
  const extras = OPERAND_EXTRAS[place];
  const tokens = TOKEN_ORDER.filter(
    (token) => !'])},?'.includes(token[1]!) || token[0] !== "'" || extras.includes(token[1]!),
  );
  return `{${tokens.join(', ')}}`;
}

const OPERAND_KINDS = new Set<TokenKind>(['ident', 'int', 'uint', 'float', 'string', 'bytes']);
const OPERAND_OPS = new Set(['[', '{', '(', '.', '-', '!', 'true', 'false', 'null']);

/** True if an operand can start with the token. */
export function startsOperand(token: Token): boolean {
  return OPERAND_KINDS.has(token.kind) || (token.kind === 'op' && OPERAND_OPS.has(token.text));
}
