const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const escapes: readonly (readonly [plain: string, escaped: string])[] = [
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
];

/** Returns the identifier that expressions use for a property; undefined if expressions cannot refer to it. */
export function escapeProperty(property: string): string | undefined {
  if (reserved.has(property)) return `__${property}__`;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(property) && !property.includes('__')) return property;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(property)) return undefined;
  return property.replace(/__|[./-]/g, (plain) => escapes.find(([from]) => from === plain)![1]);
}

/** Reverses {@link escapeProperty}; returns undefined if `escaped` contains an invalid escape sequence. */
export function unescapeProperty(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped;
  let valid = true;
  const property = escaped.replace(/__([^_]+)__/g, (sequence, content: string) => {
    const known = escapes.find(([, to]) => to === sequence);
    if (known !== undefined) return known[0];
    if (!reserved.has(content) || sequence.length !== escaped.length) valid = false;
    return content;
  });
  return valid ? property : undefined;
}
