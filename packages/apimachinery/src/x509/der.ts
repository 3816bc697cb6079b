/** Encodes the ASN.1 types that a certificate needs, in DER. Each function returns one whole element (tag, length, content). */

/** Encodes an element with any tag. */
function element(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const length = contents.reduce((sum, each) => sum + each.length, 0);
  return joined([Uint8Array.of(tag), lengthOf(length), ...contents]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, each) => sum + each.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Encodes text as UTF-8; ASCII stays one byte per character. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function sequence(...members: readonly Uint8Array[]): Uint8Array {
  return element(0x30, ...members);
}

export function setOf(member: Uint8Array): Uint8Array {
  return element(0x31, member);
}

/** Wraps whole elements in an explicit `[tag]`. */
export function explicit(tag: number, ...members: readonly Uint8Array[]): Uint8Array {
  return element(0xa0 | tag, ...members);
}

/** Encodes the content of a primitive element under an implicit `[tag]`. */
export function implicit(tag: number, content: Uint8Array): Uint8Array {
  return element(0x80 | tag, content);
}

/** Encodes a positive integer, given its big-endian bytes. */
export function integer(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const minimal = bytes.subarray(start);
  // A leading 1 bit would make the integer negative.
  return (minimal[0] ?? 0) & 0x80 ? element(0x02, Uint8Array.of(0), minimal) : element(0x02, minimal);
}

export function boolean(value: boolean): Uint8Array {
  return element(0x01, Uint8Array.of(value ? 0xff : 0));
}

/** Encodes an object identifier, given in dotted form. */
export function objectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes: number[] = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return element(0x06, Uint8Array.from(bytes));
}

export function utf8String(text: string): Uint8Array {
  return element(0x0c, bytesOf(text));
}

export function octetString(content: Uint8Array): Uint8Array {
  return element(0x04, content);
}

/** Encodes a bit string; `unused` is the number of unused bits at its end. */
export function bitString(content: Uint8Array, unused = 0): Uint8Array {
  return element(0x03, Uint8Array.of(unused), content);
}

/** Encodes a time, with a two-digit year before 2050 and a four-digit year from 2050 on, as X.509 requires. */
export function time(ms: number): Uint8Array {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
  return text < '2050' ? element(0x17, bytesOf(text.slice(2))) : element(0x18, bytesOf(text));
}

function lengthOf(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  const bytes: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left & 0xff);
  return Uint8Array.of(0x80 | bytes.length, ...bytes);
}
