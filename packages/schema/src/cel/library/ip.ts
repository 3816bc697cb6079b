import { fail, noSuchOverload } from '../errors.ts';
import { type CidrValue, cidrType, type IpValue, ipType, isV4InV6, parseAddress, parsePrefix } from './ip-value.ts';
import { type Library, overload } from './library.ts';

const v6 = {
  loopback: 1n,
  linkLocalUnicast: 0xfe80n << 112n,
  multicast: 0xff00n << 112n,
};
const v4 = {
  loopback: 127n << 24n,
  linkLocalUnicast: 0xa9fen << 16n,
  linkLocalMulticast: 0xe00000n << 8n,
  multicast: 0xen << 28n,
};

/** IP addresses: `ip('127.0.0.1').isLoopback()`. */
export const ipLibrary: Library = {
  name: 'kubernetes.net.ip',
  types: [['net.IP', ipType]],
  overloads: [
    overload<[string]>('ip(string) net.IP', (_, text) => ipOrFail(text)),
    overload<[string]>('isIP(string) bool', (_, text) => typeof readIp(text) !== 'string'),
    overload<[string]>('::ip.isCanonical(string) bool', (_, text) => ipOrFail(text).toString() === text),
    overload<[IpValue]>('string(net.IP) string', (_, ip) => ip.toString()),
    overload<[IpValue]>('net.IP.family() int', (_, ip) => ip.family),
    overload<[IpValue]>('net.IP.isUnspecified() bool', (_, ip) => ip.bits === 0n),
    overload<[IpValue]>('net.IP.isLoopback() bool', (_, ip) => isLoopback(ip)),
    overload<[IpValue]>('net.IP.isLinkLocalMulticast() bool', (_, ip) =>
      ip.family === 4 ? ip.startsWith(v4.linkLocalMulticast, 24) : ((ip.bits >> 112n) & 0xff0fn) === 0xff02n,
    ),
    overload<[IpValue]>('net.IP.isLinkLocalUnicast() bool', (_, ip) => isLinkLocalUnicast(ip)),
    overload<[IpValue]>('net.IP.isGlobalUnicast() bool', (_, ip) => isGlobalUnicast(ip)),
  ],
};

/** Address ranges: `cidr('10.0.0.0/8').containsIP('10.1.2.3')`. */
export const cidrLibrary: Library = {
  name: 'kubernetes.net.cidr',
  types: [['net.CIDR', cidrType]],
  overloads: [
    overload<[string]>('cidr(string) net.CIDR', (_, text) => cidrOrFail(text)),
    overload<[string]>('isCIDR(string) bool', (_, text) => typeof readCidr(text) !== 'string'),
    overload<[CidrValue]>('string(net.CIDR) string', (_, cidr) => cidr.toString()),
    overload<[CidrValue, string]>('net.CIDR.containsIP(string) bool', containsText),
    overload<[CidrValue, IpValue]>('net.CIDR.containsIP(net.IP) bool', (_, cidr, ip) => cidr.contains(ip)),
    overload<[CidrValue, string]>('net.CIDR.containsCIDR(string) bool', (_, cidr, text) =>
      containsCidr(cidr, cidrOrFail(text)),
    ),
    overload<[CidrValue, CidrValue]>('net.CIDR.containsCIDR(net.CIDR) bool', (_, cidr, other) =>
      containsCidr(cidr, other),
    ),
    overload<[CidrValue]>('net.CIDR.ip() net.IP', (_, cidr) => cidr.address),
    overload<[CidrValue]>('net.CIDR.prefixLength() int', (_, cidr) => cidr.length),
    overload<[CidrValue]>('net.CIDR.masked() net.CIDR', (_, cidr) => cidr.masked),
  ],
};

function readIp(text: string): IpValue | string {
  const parsed = parseAddress(text);
  if (typeof parsed === 'string') {
    return `IP Address ${JSON.stringify(text)} parse error during conversion from string: ${parsed}`;
  }
  if (parsed.zone !== '') return `IP address ${JSON.stringify(text)} with zone value is not allowed`;
  return isV4InV6(parsed.ip) ? `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed` : parsed.ip;
}

function ipOrFail(text: string): IpValue {
  const ip = readIp(text);
  return typeof ip === 'string' ? fail(ip) : ip;
}

const cidrFault = 'network address parse error during conversion from string: ';

function readCidr(text: string): CidrValue | string {
  const parsed = parsePrefix(text);
  if (typeof parsed === 'string') return cidrFault + parsed;
  return isV4InV6(parsed.address) ? `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed` : parsed;
}

function cidrOrFail(text: string): CidrValue {
  const cidr = readCidr(text);
  return typeof cidr === 'string' ? fail(cidrFault + cidr) : cidr;
}

/** Implements `containsIP` for strings. Like upstream, reports an invalid address as a type mismatch. */
function containsText(_: unknown, cidr: CidrValue, text: string): boolean {
  const ip = readIp(text);
  return typeof ip === 'string' ? noSuchOverload() : cidr.contains(ip);
}

function containsCidr(cidr: CidrValue, other: CidrValue): boolean {
  return cidr.length <= other.length && cidr.contains(other.address);
}

function isLoopback(ip: IpValue): boolean {
  return ip.family === 4 ? ip.startsWith(v4.loopback, 8) : ip.bits === v6.loopback;
}

function isLinkLocalUnicast(ip: IpValue): boolean {
  return ip.family === 4 ? ip.startsWith(v4.linkLocalUnicast, 16) : ip.startsWith(v6.linkLocalUnicast, 10);
}

function isGlobalUnicast(ip: IpValue): boolean {
  if (ip.bits === 0n || (ip.family === 4 && ip.bits === 0xffffffffn)) return false;
  const multicast = ip.family === 4 ? ip.startsWith(v4.multicast, 4) : ip.startsWith(v6.multicast, 8);
  return !multicast && !isLoopback(ip) && !isLinkLocalUnicast(ip);
}
