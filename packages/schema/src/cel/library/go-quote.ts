const namedEscapes: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** Quotes a string as Go's `%q` does. */
export function goQuote(text: string): string {
  return `"${Array.from(text, quoteChar).join('')}"`;
}

function quoteChar(char: string): string {
  const named = namedEscapes.get(char);
  if (named !== undefined) return named;
  const code = char.codePointAt(0)!;
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd';
  if (char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char)) return char;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
