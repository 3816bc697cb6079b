/**
 * Writes the control characters of a text as escapes: a value from outside can neither make a line of its own nor speak to
 * the terminal, by C1 characters such as U+009B either.
 *
 * @example oneLine('a\nb') // 'a\\nb'
 */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (char) =>
    char < ' ' ? JSON.stringify(char).slice(1, -1) : `\\u00${char.charCodeAt(0).toString(16)}`,
  );
}
