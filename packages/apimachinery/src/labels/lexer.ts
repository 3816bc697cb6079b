/** One token of a selector. */
export interface Token {
  readonly type:
    | 'end'
    | 'identifier'
    | 'error'
    | ')'
    | '('
    | ','
    | '!'
    | '='
    | '=='
    | '!='
    | '>'
    | '<'
    | 'in'
    | 'notin';
  readonly text: string;
}

const keywords: readonly string[] = ['in', 'notin'];
const symbols: readonly string[] = [')', ',', '!', '==', '=', '>', '<', '!=', '('];

/** Splits a selector into tokens; the last token is `end`. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    const rest = /[ \t\r\n]*([=!(),><]*)([^=!(),>< \t\r\n]*)/y;
    rest.lastIndex = position;
    const [all = '', run = '', word = ''] = rest.exec(text) ?? [];
    const symbol = symbolAt(run);
    if (symbol !== undefined) {
      tokens.push(symbol.token);
      position += all.indexOf(run) + symbol.length;
    } else {
      if (word !== '') tokens.push(wordToken(word));
      position += all.length;
    }
  }
  tokens.push({ type: 'end', text: '' });
  return tokens;
}

function wordToken(word: string): Token {
  return keywords.includes(word) ? { type: word as 'in' | 'notin', text: word } : { type: 'identifier', text: word };
}

/**
 * Returns the first symbol of a run of special characters: the longest one, as in upstream. Every special character is
 * a symbol, so a non-empty run always has one.
 */
function symbolAt(run: string): { readonly token: Token; readonly length: number } | undefined {
  if (run === '') return undefined;
  const length = symbols.includes(run.slice(0, 2)) && run.length > 1 ? 2 : 1;
  const text = run.slice(0, length);
  return { token: { type: text as Token['type'], text }, length };
}
