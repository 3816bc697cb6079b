/**
 * Escapes the control characters in a string, so that an external value cannot start a new line or control the
 * terminal. This includes C1 characters such as U+009B.
 *
 * @example oneLine('a\nb') // 'a\\nb'
 */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) =>
    char < ' ' ? JSON.stringify(char).slice(1, -1) : `\\u00${char.charCodeAt(0).toString(16)}`,
  );
}
