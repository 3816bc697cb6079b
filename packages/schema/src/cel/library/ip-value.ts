import { type CelType, opaqueOf } from '../types/cel-type.ts';
import { CelOpaque } from '../values/opaque.ts';

export const ipType: CelType = opaqueOf('net.IP');
export const cidrType: CelType = opaqueOf('net.CIDR');

/** An IPv4 or IPv6 address. Its bytes are stored as one number. */
export class IpValue extends CelOpaque {
  readonly type: CelType = ipType;
  readonly family: 4 | 6;
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    super();
    this.family = family;
    this.bits = bits;
  }

  equals(other: unknown): boolean {
    return other instanceof IpValue && other.family === this.family && other.bits === this.bits;
  }

  /** True if the first `length` bits of the address equal those of `prefix`, an address of the same family. */
  startsWith(prefix: bigint, length: number): boolean {
    const shift = BigInt(this.width - length);
    return this.bits >> shift === prefix >> shift;
  }

  get width(): number {
    return this.family === 4 ? 32 : 128;
  }

  /** Returns the canonical text. */
  override toString(): string {
    return this.family === 4 ? formatV4(this.bits) : formatV6(this.bits);
  }
}

/** An address range. */
export class CidrValue extends CelOpaque {
  readonly type: CelType = cidrType;
  readonly address: IpValue;
  readonly length: number;

  constructor(address: IpValue, length: number) {
    super();
    this.address = address;
    this.length = length;
  }

  equals(other: unknown): boolean {
    return other instanceof CidrValue && other.length === this.length && other.address.equals(this.address);
  }

  contains(ip: IpValue): boolean {
    return ip.family === this.address.family && ip.startsWith(this.address.bits, this.length);
  }

  get masked(): CidrValue {
    const shift = BigInt(this.address.width - this.length);
    return new CidrValue(new IpValue(this.address.family, (this.address.bits >> shift) << shift), this.length);
  }

  override toString(): string {
    return `${this.address}/${this.length}`;
  }
}

function formatV4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.');
}

function formatV6(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => Number((bits >> BigInt(112 - 16 * i)) & 0xffffn));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.start < 0) return hex.join(':');
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`;
}

/** Parses an address; returns Go's error message if the text is invalid. */
export function parseAddress(text: string): { readonly ip: IpValue; readonly zone: string } | string {
  for (const char of text) {
    if (char === '.') return parseV4(text);
    if (char === ':') return parseV6(text);
    if (char === '%') return problem(text, 'missing IPv6 address');
  }
  return problem(text, 'unable to parse IP');
}

function problem(text: string, reason: string, at?: string): string {
  const place = at === undefined ? '' : ` (at ${JSON.stringify(at)})`;
  return `ParseAddr(${JSON.stringify(text)}): ${reason}${place}`;
}

function parseV4(text: string): { readonly ip: IpValue; readonly zone: string } | string {
  const bits = v4Bits(text);
  return typeof bits === 'bigint' ? { ip: new IpValue(4, bits), zone: '' } : problem(text, bits.reason, bits.at);
}

function v4Bits(text: string): bigint | { readonly reason: string; readonly at?: string } {
  let bits = 0n;
  let fields = 0;
  let value = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char >= '0' && char <= '9') {
      if (digits === 1 && value === 0) return { reason: 'IPv4 field has octet with leading zero' };
      value = value * 10 + Number(char);
      digits++;
      if (value > 255) return { reason: 'IPv4 field has value >255' };
    } else if (char === '.') {
      if (i === 0 || i === text.length - 1 || text[i - 1] === '.') {
        return { reason: 'IPv4 field must have at least one digit', at: text.slice(i) };
      }
      if (fields === 3) return { reason: 'IPv4 address too long' };
      bits = bits * 256n + BigInt(value);
      fields++;
      value = 0;
      digits = 0;
    } else {
      return { reason: 'unexpected character', at: text.slice(i) };
    }
  }
  return fields < 3 ? { reason: 'IPv4 address too short' } : bits * 256n + BigInt(value);
}

function parseV6(text: string): { readonly ip: IpValue; readonly zone: string } | string {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') return problem(text, 'zone must be a non-empty string');
  const groups = v6Groups(percent < 0 ? text : text.slice(0, percent));
  if (!Array.isArray(groups)) return problem(text, groups.reason, groups.at);
  const bits = groups.reduce((sum, group) => (sum << 16n) + BigInt(group), 0n);
  return { ip: new IpValue(6, bits), zone };
}

function v6Groups(text: string): number[] | { readonly reason: string; readonly at?: string } {
  const groups: number[] = [];
  let rest = text;
  let ellipsis = -1;
  if (rest.startsWith('::')) {
    ellipsis = 0;
    rest = rest.slice(2);
    if (rest === '') return new Array<number>(8).fill(0);
  }
  while (groups.length < 8) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)![0];
    if (digits.length > 4) return { reason: 'each group must have 4 or less digits', at: rest };
    if (digits === '') return { reason: 'each colon-separated field must have at least one digit', at: rest };
    if (rest[digits.length] === '.') return withV4Tail(groups, { rest, ellipsis });
    groups.push(Number.parseInt(digits, 16));
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (rest[0] !== ':') return { reason: 'unexpected character, want colon', at: rest };
    if (rest.length === 1) return { reason: 'colon must be followed by more characters', at: rest };
    rest = rest.slice(1);
    if (rest[0] === ':') {
      if (ellipsis >= 0) return { reason: 'multiple :: in address', at: rest };
      ellipsis = groups.length;
      rest = rest.slice(1);
      if (rest === '') break;
    }
  }
  if (rest !== '') return { reason: 'trailing garbage after address', at: rest };
  return expand(groups, ellipsis);
}

function withV4Tail(
  groups: number[],
  tail: { readonly rest: string; readonly ellipsis: number },
): number[] | { readonly reason: string; readonly at?: string } {
  if (tail.ellipsis < 0 && groups.length !== 6) {
    return { reason: 'embedded IPv4 address must replace the final 2 fields of the address', at: tail.rest };
  }
  if (groups.length > 6)
    return { reason: 'too many hex fields to fit an embedded IPv4 at the end of the address', at: tail.rest };
  const bits = v4Bits(tail.rest);
  if (typeof bits !== 'bigint') return bits;
  return expand([...groups, Number(bits >> 16n), Number(bits & 0xffffn)], tail.ellipsis);
}

function expand(groups: number[], ellipsis: number): number[] | { readonly reason: string } {
  if (groups.length === 8)
    return ellipsis >= 0 ? { reason: 'the :: must expand to at least one field of zeros' } : groups;
  if (ellipsis < 0) return { reason: 'address string too short' };
  const zeros = new Array<number>(8 - groups.length).fill(0);
  return [...groups.slice(0, ellipsis), ...zeros, ...groups.slice(ellipsis)];
}

const v4InV6 = 0xffffn << 32n;

/** True for `::ffff:0:0/96`. */
export function isV4InV6(ip: IpValue): boolean {
  return ip.family === 6 && ip.startsWith(v4InV6, 96);
}

/** Parses a CIDR range; returns Go's error message if the text is invalid. */
export function parsePrefix(text: string): CidrValue | string {
  const fault = (reason: string): string => `netip.ParsePrefix(${JSON.stringify(text)}): ${reason}`;
  const slash = text.lastIndexOf('/');
  if (slash < 0) return fault("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if (typeof address === 'string') return fault(address);
  if (address.zone !== '') return fault('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^[0-9]+$/.test(bits) || (bits.length > 1 && bits.startsWith('0')))
    return fault(`bad bits after slash: ${JSON.stringify(bits)}`);
  return Number(bits) > address.ip.width
    ? fault('prefix length out of range')
    : new CidrValue(address.ip, Number(bits));
}
