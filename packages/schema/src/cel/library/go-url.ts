/** A URL, as parsed by Go's `net/url`. */
export interface GoUrl {
  readonly scheme: string;
  /** With port and brackets. */
  readonly host: string;
  readonly rawPath: string;
  readonly rawQuery: string;
  /** The URL in canonical form: equal URLs have the same string. */
  readonly text: string;
}

/**
 * Parses an absolute URL or absolute path (`url.ParseRequestURI`); returns Go's error message if the text is invalid.
 */
export function parseRequestUri(raw: string): GoUrl | string {
  const found = parse(raw);
  return typeof found === 'string' ? `parse ${JSON.stringify(raw)}: ${found}` : found;
}

function parse(raw: string): GoUrl | string {
  // Like Go, reject ASCII control characters, but not U+0080 to U+009F.
  if (/[^ -~\u0080-\uffff]/.test(raw)) return 'net/url: invalid control character in URL';
  if (raw === '') return 'empty url';
  if (raw === '*') return { scheme: '', host: '', rawPath: '*', rawQuery: '', text: raw };
  const split = splitScheme(raw);
  if (typeof split === 'string') return split;
  const { scheme } = split;
  const hash = split.rest.indexOf('#');
  const bare = hash < 0 ? split.rest : split.rest.slice(0, hash);
  const question = bare.indexOf('?');
  const rawQuery = question < 0 ? '' : bare.slice(question + 1);
  const rest = question < 0 ? bare : bare.slice(0, question);
  if (!rest.startsWith('/')) {
    return scheme === '' ? 'invalid URI for request' : { scheme, host: '', rawPath: '', rawQuery, text: raw };
  }
  let rawPath = rest;
  let host = '';
  if (scheme !== '' && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2);
    const authority = parseAuthority(rest.slice(2, slash < 0 ? undefined : slash));
    if ('fault' in authority) return authority.fault;
    host = authority.host;
    rawPath = slash < 0 ? '' : rest.slice(slash);
  }
  return escapeFault(rawPath) ?? { scheme, host, rawPath, rawQuery, text: raw };
}

function splitScheme(raw: string): { readonly scheme: string; readonly rest: string } | string {
  if (raw.startsWith(':')) return 'missing protocol scheme';
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(raw);
  if (match !== null) return { scheme: match[1]!.toLowerCase(), rest: match[2]! };
  return { scheme: '', rest: raw };
}

function escapeFault(text: string): string | undefined {
  const bad = /%(?![0-9A-Fa-f]{2})/.exec(text);
  return bad === null ? undefined : `invalid URL escape ${JSON.stringify(text.slice(bad.index, bad.index + 3))}`;
}

function parseAuthority(authority: string): { readonly host: string } | { readonly fault: string } {
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) {
    return { fault: 'net/url: invalid userinfo' };
  }
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end < 0) return { fault: "missing ']' in host" };
    return portFault(host.slice(end + 1)) ?? { host };
  }
  const colon = host.lastIndexOf(':');
  const fault = colon < 0 ? undefined : portFault(host.slice(colon));
  if (fault !== undefined) return fault;
  const badEscape = escapeFault(host) ?? foreignEscape(host);
  if (badEscape !== undefined) return { fault: badEscape };
  const bad = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(host);
  return bad === null
    ? { host: decodePercent(host) }
    : { fault: `invalid character ${JSON.stringify(bad[0])} in host name` };
}

/** Returns the error for a percent-encoded ASCII character: hosts may encode only non-ASCII bytes, and `%` as `%25`. */
function foreignEscape(host: string): string | undefined {
  const bad = /%(?:[0-7][0-9A-Fa-f])/.exec(host);
  return bad === null || bad[0] === '%25' ? undefined : `invalid URL escape ${JSON.stringify(bad[0])}`;
}

function portFault(port: string): { readonly fault: string } | undefined {
  return port === '' || /^:[0-9]*$/.test(port)
    ? undefined
    : { fault: `invalid port ${JSON.stringify(port)} after host` };
}

/** Returns the host without port and brackets. */
export function hostname(host: string): string {
  const match = /^\[(.*)\](?::[0-9]*)?$/.exec(host);
  if (match !== null) return match[1]!;
  return host.replace(/:[0-9]*$/, '');
}

export function port(host: string): string {
  return /:([0-9]*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? '';
}

/** Percent-encodes the path. A path that is already encoded correctly is returned unchanged. */
export function escapedPath(rawPath: string): string {
  if (rawPath === '*' || /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]/%]*$/.test(rawPath)) return rawPath;
  const decoded = decodePercent(rawPath);
  return Array.from(new TextEncoder().encode(decoded), (byte) => {
    const char = String.fromCharCode(byte);
    return /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** Returns the query parameters' values by name, in order of first appearance. Skips parameters that cannot be decoded. */
export function parseQuery(rawQuery: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const part of rawQuery.split('&')) {
    if (part === '' || part.includes(';') || escapeFault(part) !== undefined) continue;
    const equals = part.indexOf('=');
    const key = decodeQuery(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : decodeQuery(part.slice(equals + 1));
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return values;
}

function decodeQuery(text: string): string {
  return decodePercent(text.replaceAll('+', ' '));
}

function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const part of text.split(/(%[0-9A-Fa-f]{2})/)) {
    if (/^%[0-9A-Fa-f]{2}$/.test(part)) bytes.push(Number.parseInt(part.slice(1), 16));
    else bytes.push(...encoder.encode(part));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
