/** Escapes a field of an fstab: whitespace, backslashes and `#` become octal codes. */
export function fstabField(text: string): string {
  return text.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** Escapes a path in the options of an overlay: `:`, `,` and backslashes have a meaning there. */
export function overlayPath(path: string): string {
  return path.replace(/[:,\\]/g, (character) => `\\${character}`);
}
