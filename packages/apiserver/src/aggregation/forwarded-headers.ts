import { Buffer } from 'node:buffer';
import type { OutgoingHttpHeaders } from 'node:http';
import { defined } from '@kubewright/apimachinery/internal';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { RequestContext } from '../endpoints/request-context.ts';

/** Headers that concern the connection, not the request (RFC 9110 §7.6.1). */
const hopByHop = new Set([
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
/** Headers that are regenerated or meant only for this server, such as credentials and impersonation. */
const own = /^(?:authorization|content-length|expect|host|http2-settings|impersonate-.*|x-remote-.*)$/;

/**
 * Returns the headers for forwarding a request: without credentials, and with the authenticated identity instead of any
 * identity that the client sent. Mirrors `WithAuthentication` and `SetAuthProxyHeaders` (1.36).
 */
export function forwardedHeaders({ request, user, info, auditId }: RequestContext): OutgoingHttpHeaders {
  const { headers, connection } = request;
  const sent: OutgoingHttpHeaders = {};
  const listed = new Set((headers['connection'] ?? '').split(',').map((name) => name.trim().toLowerCase()));
  for (const [name, value] of Object.entries(headers)) {
    // Some servers read `_` as `-`, so alternative spellings of a header are dropped as well.
    if (hopByHop.has(name) || listed.has(name) || own.test(name.replaceAll('_', '-'))) continue;
    sent[name] = value;
  }
  const before = headers['x-forwarded-for'];
  return {
    ...sent,
    ...defined({ 'audit-id': auditId }),
    'x-forwarded-for': before === undefined ? connection.remoteAddress : `${before}, ${connection.remoteAddress}`,
    'x-forwarded-host': headers['host'] ?? '',
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': encodePath(info.path),
    ...identityHeaders(user),
  };
}

/** Returns the user's identity in the headers that servers behind a front proxy read. */
export function identityHeaders({ username, uid, groups, extra }: UserInfo): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'x-remote-user': asBytes(username) };
  if (uid) headers['x-remote-uid'] = asBytes(uid);
  if (groups.length > 0) headers['x-remote-group'] = groups.map(asBytes);
  for (const [key, values] of Object.entries(extra ?? {})) {
    headers[`x-remote-extra-${escapeKey(key)}`] = values.map(asBytes);
  }
  return headers;
}

/** Encodes a path as it was parsed and authorized, so that the other server cannot parse it differently. Mirrors Go's `EscapedPath`. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}

function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(/%(?:24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent);
}

/** Returns the end-to-end headers of a response. Repeated headers stay separate. */
export function responseHeaders(
  headers: Readonly<Record<string, readonly string[] | undefined>>,
): Record<string, string | readonly string[]> {
  const kept: Record<string, string | readonly string[]> = {};
  const listed = new Set((headers['connection'] ?? []).flatMap((text) => text.toLowerCase().split(/\s*,\s*/)));
  for (const [name, values = []] of Object.entries(headers)) {
    if (hopByHop.has(name) || listed.has(name) || name === '__proto__') continue;
    kept[name] = values.length === 1 ? (values[0] as string) : values;
  }
  return kept;
}

/** Encodes text as UTF-8 bytes, one per character, because Node writes header values as Latin-1. */
function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Escapes characters that header names cannot contain, such as slashes. */
function escapeKey(key: string): string {
  return asBytes(key).replace(
    /[^!#$&'*+.^_`|~0-9A-Za-z-]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
