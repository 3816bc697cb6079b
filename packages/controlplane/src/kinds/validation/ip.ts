import { isIPv4, isIPv6 } from 'node:net';
import { type FieldError, type FieldPath, invalidField } from '@kubewright/apimachinery';
import type { Check } from './check.ts';

/** Validates an IPv4 or IPv6 address. */
export const ipAddress: Check<string> = (value, path) =>
  isIPv4(value ?? '') || isIPv6(value ?? '')
    ? []
    : [invalidField(path, value ?? '', 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];

/** Validates a network in CIDR notation. */
export const cidr: Check<string> = (value, path) =>
  parseCidr(value ?? '')
    ? []
    : [invalidField(path, value ?? '', 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];

/** Validates the address of a network interface: an IP address with the prefix length of its network. */
export const interfaceAddress: Check<string> = (value = '', path) => {
  const reject = (detail: string): readonly FieldError[] => [invalidField(path, value, detail)];
  if (!parseCidr(value)) return reject('must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)');
  const [address = '', length] = value.split('/');
  const canonical = isIPv4(address) ? value : canonicalIpv6(address, Number(length));
  return value === canonical ? [] : reject(`must be in canonical form (${JSON.stringify(canonical)})`);
};

/** Prints an IPv6 address as Go does: an IPv4-mapped address is printed as IPv4. */
function canonicalIpv6(address: string, length: number): string {
  const shown = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, ...mapped] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shown) ?? [];
  if (mapped.length === 0) return `${shown}/${length}`;
  const bytes = mapped.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
  return `${bytes.join('.')}/${length > 32 ? length - 96 : length}`;
}

/** Rejects addresses that endpoints cannot have: unspecified, link-local and, unless allowed, loopback addresses. */
export function specialAddress(
  value: string,
  options: { readonly path: FieldPath; readonly allowLoopback: boolean },
): readonly FieldError[] {
  const { path } = options;
  const reject = (detail: string): readonly FieldError[] => [invalidField(path, value, detail)];
  const small = value.toLowerCase();
  if (value === '0.0.0.0') return reject('may not be unspecified (0.0.0.0)');
  if (small === '::') return reject('may not be unspecified (::)');
  if (value.startsWith('127.') || small === '::1') {
    return options.allowLoopback ? [] : reject('may not be in the loopback range (127.0.0.0/8, ::1/128)');
  }
  if (value.startsWith('169.254.') || /^fe[89ab]/.test(small)) {
    return reject('may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  }
  if (value.startsWith('224.0.0.') || small.startsWith('ff02:')) {
    return reject('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
  }
  return [];
}

/** Parses a network. The bits are returned as a string, so that containment is a prefix test. */
export function parseCidr(text: string): { readonly bits: string; readonly length: number } | undefined {
  const [address = '', prefix = ''] = text.split('/', 2);
  // Go rejects zones in networks.
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix) || text.split('/').length !== 2 || text.includes('%')) return undefined;
  const bits = isIPv4(address) ? bitsOfIpv4(address) : isIPv6(address) ? bitsOfIpv6(address) : undefined;
  const length = Number(prefix);
  return bits === undefined || length > bits.length ? undefined : { bits: bits.slice(0, length), length };
}

function bitsOfIpv4(address: string): string {
  return address
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('');
}

function bitsOfIpv6(address: string): string {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::', 2);
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return groups.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}
