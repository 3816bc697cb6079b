import { isIP } from 'node:net';
import type { ApiRequest } from '../http/api-request.ts';

/**
 * Returns the addresses of the client and the proxies, as the headers report them, and then the address of the connection.
 * Mirrors `SourceIPs` of k8s.io/apimachinery.
 */
export function sourceAddresses({ headers, connection }: ApiRequest): readonly string[] {
  const forwarded = (headers['x-forwarded-for'] ?? '').split(',').map((each) => each.trim());
  const proxied = forwarded.filter((each) => isIP(each) !== 0);
  const real = headers['x-real-ip'] ?? '';
  const reported = proxied.length === 0 && isIP(real) !== 0 ? [real] : proxied;
  const { remoteAddress } = connection;
  return reported.at(-1) === remoteAddress ? reported : [...reported, remoteAddress];
}
