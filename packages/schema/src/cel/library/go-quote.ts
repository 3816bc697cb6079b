const NAMED: ReadonlyMap<string, string> = new Map([
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

/** A text as Go's `%q` quotes it. */
export function goQuote(text: string): string {
  return `"${Array.from(text, quoteChar).join('')}"`;
}

function quoteChar(char: string): string {
  const named = NAMED.get(char);
  if (named !== undefined) return named;
  const code = char.codePointAt(0)!;
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd';
  if (char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char)) return char;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Bytes as Go's `%q` quotes the text that they encode; what is no UTF-8 is shown as bytes. */
export function goQuoteBytes(bytes: Uint8Array): string {
  let out = '';
  for (let i = 0; i < bytes.length; ) {
    const length = [1, 2, 3, 4].find((n) => isCharacter(bytes.subarray(i, i + n)));
    const part = bytes.subarray(i, i + (length ?? 1));
    out +=
      length === undefined ? `\\x${part[0]!.toString(16).padStart(2, '0')}` : quoteChar(new TextDecoder().decode(part));
    i += part.length;
  }
  return `"${out}"`;
}

function isCharacter(bytes: Uint8Array): boolean {
  try {
    return Array.from(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)).length === 1;
  } catch {
    // Not a character in UTF-8.
    return false;
  }
}
