import { Buffer } from 'node:buffer';
import type { OutgoingHttpHeaders } from 'node:http';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { RequestContext } from '../endpoints/request-context.ts';

/** About one connection, not about the request (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Made anew; or for this server only: the credentials, and whom the caller asked to be. */
const OWN = /^(?:authorization|content-length|expect|host|http2-settings|impersonate-.*|x-remote-.*)$/;

/**
 * The headers of a request as they are passed on: without credentials, with who asks in place of what the client says of
 * that. Mirrors `WithAuthentication` and `SetAuthProxyHeaders` (1.36).
 */
export function forwardedHeaders({ request, user, info, auditId }: RequestContext): OutgoingHttpHeaders {
  const { headers, connection } = request;
  const sent: OutgoingHttpHeaders = {};
  const listed = new Set((headers['connection'] ?? '').split(',').map((name) => name.trim().toLowerCase()));
  for (const [name, value] of Object.entries(headers)) {
    // Some servers read `_` as `-`: what is another spelling of a header goes with it.
    if (HOP_BY_HOP.has(name) || listed.has(name) || OWN.test(name.replaceAll('_', '-'))) continue;
    sent[name] = value;
  }
  const before = headers['x-forwarded-for'];
  return {
    ...sent,
    ...(auditId !== undefined && { 'audit-id': auditId }),
    'x-forwarded-for': before === undefined ? connection.remoteAddress : `${before}, ${connection.remoteAddress}`,
    'x-forwarded-host': headers['host'] ?? '',
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': encodePath(info.path),
    ...identityHeaders(user),
  };
}

/** Who asks, in the headers that servers behind a front proxy read. */
export function identityHeaders({ username, uid, groups, extra }: UserInfo): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'x-remote-user': asBytes(username) };
  if (uid) headers['x-remote-uid'] = asBytes(uid);
  if (groups.length > 0) headers['x-remote-group'] = groups.map(asBytes);
  for (const [key, values] of Object.entries(extra ?? {})) {
    headers[`x-remote-extra-${escapeKey(key)}`] = values.map(asBytes);
  }
  return headers;
}

/** A path as it was understood, and therefore allowed: the other server shall not read it in another way. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** The headers of an answer that are about the answer. Values that were sent apart stay apart. */
export function answeredHeaders(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
): Record<string, string | readonly string[]> {
  const answered: Record<string, string | readonly string[]> = {};
  const listed = new Set((headers['connection'] ?? []).flatMap((text) => text.toLowerCase().split(/\s*,\s*/)));
  for (const [name, values = []] of Object.entries(headers)) {
    if (HOP_BY_HOP.has(name) || listed.has(name) || name === '__proto__') continue;
    answered[name] = values.length === 1 ? (values[0] as string) : values;
  }
  return answered;
}

/** Node takes headers as Latin-1; names may be in any script, and go as UTF-8. */
function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Keys hold slashes and what else no header's name may. */
function escapeKey(key: string): string {
  return asBytes(key).replace(
    /[^!#$&'*+.^_`|~0-9A-Za-z-]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
