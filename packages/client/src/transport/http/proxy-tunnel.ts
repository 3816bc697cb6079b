import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { isTemporaryNetworkError } from '../temporary-network-error.ts';
import { TransportError } from '../transport-error.ts';
import { nodeHttp } from './node-http.ts';

/** The server that a tunnel leads to. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
  /** Verifies the certificate of an HTTPS proxy. @defaultValue the authorities that Node.js trusts */
  readonly secureContext?: SecureContext | undefined;
}

/** Statuses of proxies that cannot reach the server at the moment. */
const temporaryStatuses: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);

/**
 * Opens a tunnel through an HTTP proxy (`CONNECT`). The proxy sees only the server's address.
 *
 * @throws TransportError `KW2009` if the proxy rejects the tunnel, is unreachable, or has an unsupported protocol. It is
 *   `retryable` if the proxy responds with 429, 502, 503 or 504, or the connection is lost.
 */
export function openTunnel(proxy: URL, target: TunnelTarget): Promise<Socket> {
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:') {
    const text = {
      what: `cannot use proxy ${proxy.protocol}//${proxy.host}`,
      why: 'only http and https proxies are supported',
    };
    return Promise.reject(new TransportError('KW2009', text, { sent: false }));
  }
  // A host with a colon is an IPv6 address.
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  const headers = { host: authority, ...proxyCredentials(proxy) };
  const { request: send } = proxy.protocol === 'https:' ? nodeHttp('https') : nodeHttp();
  return new Promise((resolve, reject) => {
    const fail = (why: string, options: { readonly retryable: boolean; readonly cause?: unknown }): void => {
      const what = `cannot connect to ${authority} through proxy ${proxy.host}`;
      reject(new TransportError('KW2009', { what, why }, { sent: false, ...options }));
    };
    const rejected = ({ statusCode }: IncomingMessage): void =>
      fail(`the proxy responded with status ${statusCode}`, { retryable: temporaryStatuses.has(statusCode) });
    const request = send({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: Number(proxy.port) || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
      signal: target.signal,
      ...proxyTls(proxy, target.secureContext),
    });
    request.once('connect', (response, socket) => {
      if (response.statusCode === 200) {
        resolve(socket);
        return;
      }
      socket.destroy();
      rejected(response);
    });
    request.once('response', (response) => {
      response.destroy();
      rejected(response);
    });
    request.once('error', (error: NodeJS.ErrnoException) => {
      if (target.signal.aborted) reject(target.signal.reason);
      else fail(error.message, { retryable: isTemporaryNetworkError(error), cause: error });
    });
    request.end();
  });
}

/**
 * Returns the TLS options of a request to an HTTPS proxy. Without a server name, Node.js would verify the proxy's certificate
 * against the `Host` header, which names the server behind the proxy.
 */
export function proxyTls(proxy: URL, secureContext: SecureContext | undefined): ConnectionOptions {
  if (proxy.protocol !== 'https:') return {};
  // Loaded only when a proxy is used.
  const { isIP } = process.getBuiltinModule('node:net');
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  return { servername: isIP(host) ? '' : host, ...(secureContext && { secureContext }) };
}

/** Returns the header with the user and password from a proxy's address, if any. */
export function proxyCredentials({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
}

/**
 * Decodes percent-encoding. Returns the text unchanged if it is not valid percent-encoding, such as a password with a
 * lone `%`.
 */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
