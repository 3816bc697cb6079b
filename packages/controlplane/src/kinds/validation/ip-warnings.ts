import { isIPv6, SocketAddress } from 'node:net';
import type { FieldPath } from '@kubewright/apimachinery';

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Returns warnings for valid IP addresses that are not in canonical form. */
export function ipWarnings(address: string, path: FieldPath): readonly string[] {
  const ipv4 = mapped.exec(address)?.[1];
  if (ipv4 !== undefined) return [`${path}: non-standard IP address "${address}" is invalid: use "${ipv4}"`];
  if (!isIPv6(address)) return [];
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  if (canonical === address) return [];
  return [`${path}: IPv6 address "${address}" should be in RFC 5952 canonical format ("${canonical}")`];
}
