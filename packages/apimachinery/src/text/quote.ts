const named: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/**
 * Quotes text as Go's `%q` does, the form in which the API's messages show names and values.
 *
 * Printable characters are kept; control characters are named (`\n`) or written as `\x01`, `\u2028`, `\U000e0001`.
 *
 * A lone surrogate, which Go strings cannot hold, becomes U+FFFD.
 */
export function quote(text: string): string {
  // Most names and values need no escapes.
  if (/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/.test(text)) return `"${text}"`;
  let out = '"';
  for (const character of text) out += quoteCharacter(character);
  return `${out}"`;
}

function quoteCharacter(character: string): string {
  const name = named[character];
  if (name !== undefined) return name;
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (code === 0x20 || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character)) return character;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
