/**
 * Returns the bytes of an IPv4 address, or of an IPv6 address without embedded IPv4; `undefined` for any other text.
 */
export function addressBytes(text: string): Uint8Array | undefined {
  return text.includes(':') ? ipv6(text) : ipv4(text);
}

function ipv4(text: string): Uint8Array | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255))
    return undefined;
  return Uint8Array.from(parts.map(Number));
}

function ipv6(text: string): Uint8Array | undefined {
  const halves = text.split('::');
  const words = halves.map((half) => (half === '' ? [] : half.split(':')));
  const [left = [], right = []] = words;
  const given = left.length + right.length;
  const complete = halves.length === 1 ? given === 8 : halves.length === 2 && given < 8;
  if (!complete || ![...left, ...right].every((word) => /^[0-9a-f]{1,4}$/i.test(word))) return undefined;
  const all = [...left, ...new Array<string>(8 - given).fill('0'), ...right].map((word) => Number.parseInt(word, 16));
  return Uint8Array.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}
