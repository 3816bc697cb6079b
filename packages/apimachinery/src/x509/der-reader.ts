/** One element of DER-encoded ASN.1. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  /** The whole element: tag, length and content. */
  readonly bytes: Uint8Array;
}

/**
 * Splits `bytes` into its elements.
 *
 * @throws RangeError if `bytes` is not DER.
 */
export function readDer(bytes: Uint8Array): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at);
    elements.push(element);
    at += element.bytes.length;
  }
  return elements;
}

function elementAt(bytes: Uint8Array, start: number): DerElement {
  const [tag, first] = [bytes[start], bytes[start + 1]];
  // Certificates have no multi-byte tags, and no lengths encoded in more than four bytes.
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f || first === 0x80 || first > 0x84)
    throw notDer();
  let [at, length] = [start + 2, first];
  if (first > 0x80) {
    length = 0;
    for (const end = at + (first & 0x7f); at < end; at++) length = length * 256 + (bytes[at] ?? Number.NaN);
  }
  const end = at + length;
  if (!(end <= bytes.length)) throw notDer();
  return { tag, content: bytes.subarray(at, end), bytes: bytes.subarray(start, end) };
}

/** Returns the members of a constructed element, which must have the given tag. */
export function membersOf(element: DerElement | undefined, tag: number): readonly DerElement[] {
  if (element?.tag !== tag) throw notDer();
  return readDer(element.content);
}

/** Returns an object identifier in dotted form. */
export function readObjectIdentifier(element: DerElement | undefined): string {
  if (element?.tag !== 0x06 || element.content.length === 0) throw notDer();
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of element.content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    if (arcs.length === 0) arcs.push(Math.min(Math.floor(arc / 40), 2), arc - 40 * Math.min(Math.floor(arc / 40), 2));
    else arcs.push(arc);
    arc = 0;
  }
  return arcs.join('.');
}

/**
 * Returns the text of a string in a subject. The text must match what OpenSSL reads; otherwise, a certificate could
 * contain a name other than the one that was checked.
 */
export function readString(element: DerElement | undefined): string {
  switch (element?.tag) {
    case 0x0c: // UTF8String
      return readUtf8(element.content);
    case 0x13: // PrintableString
    case 0x14: // T61String; like OpenSSL, read as Latin-1
    case 0x16: // IA5String
      return Array.from(element.content, (byte) => String.fromCharCode(byte)).join('');
    case 0x1e: // BMPString
      return readBmp(element.content);
    default:
      throw notDer();
  }
}

function readUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notDer();
  }
}

/** Decodes two bytes per character, high byte first. Surrogates are invalid. */
function readBmp(bytes: Uint8Array): string {
  if (bytes.length % 2 !== 0) throw notDer();
  let text = '';
  for (let at = 0; at < bytes.length; at += 2) {
    const code = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
    if (code >= 0xd800 && code <= 0xdfff) throw notDer();
    text += String.fromCharCode(code);
  }
  return text;
}

function notDer(): RangeError {
  return new RangeError('malformed ASN.1 in DER');
}
