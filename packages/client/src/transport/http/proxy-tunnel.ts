import { request as requestHttps } from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import { TransportError } from '../transport-error.ts';

// An import would load all of node's fetch with it: 30 ms and 14 MB that nobody here uses.
const { request: requestHttp } = process.getBuiltinModule('node:http');

/**
 * Opens a tunnel through an HTTP proxy (`CONNECT`). The proxy sees the server's address and nothing else.
 *
 * @throws TransportError `KW2009` when the proxy refuses, cannot be reached, or is of a kind that is not supported.
 */
export function openTunnel(
  proxy: URL,
  target: { readonly host: string; readonly port: number; readonly signal: AbortSignal },
): Promise<Socket> {
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:') {
    const message = `proxy ${proxy.protocol}//${proxy.host}: only http and https proxies are supported`;
    return Promise.reject(new TransportError('KW2009', message, { sent: false }));
  }
  const authority = `${isIPv6(target.host) ? `[${target.host}]` : target.host}:${target.port}`;
  const headers: Record<string, string> = { host: authority };
  if (proxy.username !== '') {
    const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
    headers['proxy-authorization'] = `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
  }
  const send = proxy.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const fail = (text: string, cause?: unknown): void =>
      reject(new TransportError('KW2009', `proxy ${proxy.host}: ${text}`, { sent: false, cause }));
    const request = send({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: Number(proxy.port) || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
      signal: target.signal,
    });
    request.once('connect', (response, socket) => {
      if (response.statusCode === 200) {
        resolve(socket);
        return;
      }
      socket.destroy();
      fail(`CONNECT ${authority} was answered ${response.statusCode}`);
    });
    request.once('response', (response) => {
      response.destroy();
      fail(`CONNECT ${authority} was answered ${response.statusCode}`);
    });
    request.once('error', (error) => {
      if (target.signal.aborted) reject(target.signal.reason);
      else fail(`no connection (${error.message})`, error);
    });
    request.end();
  });
}
