import type { Impersonation } from './kubeconfig.ts';

/** Returns the request headers of an impersonation; groups and extra values repeat their header. */
export function impersonationHeaders(
  impersonate: Impersonation | undefined,
): Readonly<Record<string, string | readonly string[]>> {
  if (!impersonate) return {};
  const headers: Record<string, string | readonly string[]> = {};
  if (impersonate.user !== undefined) headers['impersonate-user'] = impersonate.user;
  if (impersonate.uid !== undefined) headers['impersonate-uid'] = impersonate.uid;
  if (impersonate.groups.length > 0) headers['impersonate-group'] = impersonate.groups;
  for (const [key, values] of impersonate.extra) headers[`impersonate-extra-${encodeKey(key)}`] = values;
  return headers;
}

/**
 * Percent-encodes upper-case letters and characters that are not allowed in header names; the server decodes the
 * result.
 */
function encodeKey(key: string): string {
  return [...Buffer.from(key, 'utf8')]
    .map((byte) => {
      const text = String.fromCharCode(byte);
      return /[a-z0-9!#$&'*+.^_`|~-]/.test(text) ? text : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
