const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes bytes as base64, the form of bytes in Kubernetes JSON. */
export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  let chunk = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const first = bytes[i] ?? 0;
    const second = bytes[i + 1];
    const third = bytes[i + 2];
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    chunk += alphabet[bits >> 18];
    chunk += alphabet[(bits >> 12) & 63];
    chunk += second === undefined ? '=' : alphabet[(bits >> 6) & 63];
    chunk += third === undefined ? '=' : alphabet[bits & 63];
    // Join the text in chunks, because a string built by very many small concatenations is slow to flatten.
    if (chunk.length >= 8192) {
      parts.push(chunk);
      chunk = '';
    }
  }
  return parts.length === 0 ? chunk : parts.join('') + chunk;
}
