/** Decodes standard base64, with or without padding; returns undefined if the text is invalid. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const body = text.replace(/=+$/, '');
  if (body.length % 4 === 1 || (text.length !== body.length && text.length % 4 !== 0)) return undefined;
  try {
    return Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
  } catch {
    // The text is not base64. The caller reports its own error.
    return undefined;
  }
}

/** Encodes standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
