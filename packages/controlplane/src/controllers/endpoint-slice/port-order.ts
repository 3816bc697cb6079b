import type { EndpointPort } from '@kubewright/apimachinery/discovery/v1';

const offset = 0x6c62272e07bb014262b821756295c58dn;
const prime = 0x0000000001000000000000000000013bn;
const mask = (1n << 128n) - 1n;

/**
 * Sorts ports in upstream's order: by a hash of each port as Go prints it. Mirrors `NewPortMapKey` of the EndpointSlice library
 * (1.36), which sorts the ports of a slice when it groups endpoints.
 */
export function inPortOrder(ports: readonly EndpointPort[]): readonly EndpointPort[] {
  if (ports.length < 2) return ports;
  const hashed = ports.map((port) => ({ port, hash: fnv128a(printed(port)) }));
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : Number(a.hash > b.hash))).map(({ port }) => port);
}

/** Formats a port as Go's `dump.ForHash` does. */
function printed({ name, protocol, port, appProtocol }: EndpointPort): string {
  const pointer = (type: string, value: string | number | undefined): string => `(*${type})${value ?? '<nil>'}`;
  return `(v1.EndpointPort){Name:${pointer('string', name)} Protocol:${pointer('v1.Protocol', protocol)} Port:${pointer('int32', port)} AppProtocol:${pointer('string', appProtocol)}}`;
}

/** Returns the 128-bit FNV-1a hash in hexadecimal. */
function fnv128a(text: string): string {
  let hash = offset;
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * prime) & mask;
  return hash.toString(16).padStart(32, '0');
}
