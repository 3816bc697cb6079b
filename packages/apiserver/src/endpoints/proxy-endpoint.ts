import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { connect as startTls } from 'node:tls';
import { defined } from '@kubewright/apimachinery/internal';
import { encodePath, forwardedHeaders, responseHeaders } from '../aggregation/forwarded-headers.ts';
import { joinStreams } from '../aggregation/join-streams.ts';
import { StreamedBody } from '../aggregation/streamed-body.ts';
import { type ApiRequest, type ApiResponse, hijacked } from '../http/api-request.ts';
import { methodNotSupported } from '../http/failures.ts';
import { nodeHttp } from '../http/node-http.ts';
import { failure } from '../http/status-response.ts';
import type { ProxyConnection, ProxySubresource, SubresourceDefinition } from '../registry/index.ts';
import { admitConnect } from './connect-endpoint.ts';
import { hasRewritableLinks, rewriteLinks } from './proxied-html.ts';
import type { ResourceCall } from './resource-call.ts';

const { request: httpRequest } = nodeHttp();

/**
 * Forwards a request to the HTTP server behind an object, such as a pod's, and streams back the response. Mirrors
 * `UpgradeAwareHandler` of k8s.io/apimachinery (1.36).
 */
export async function proxyEndpoint(
  call: ResourceCall,
  definition: SubresourceDefinition,
  behavior: ProxySubresource,
): Promise<ApiResponse> {
  const { info, request, registry } = call;
  // OPTIONS has no verb.
  if (request.method !== 'OPTIONS' && !definition.verbs.includes(info.verb)) throw methodNotSupported();
  const path = pathBehind(call);
  await admitConnect(call, definition, { path });
  const connection = await behavior.connect({
    namespace: registry.definition.scope === 'Cluster' ? '' : info.namespace,
    name: info.pathName,
    signal: request.signal,
  });
  // Relative links work only below a path that ends with a slash.
  if (path === '' && /^(?:GET|HEAD)$/.test(request.method) && request.upgrade === undefined) {
    connection.stream.destroy();
    const query = info.query.size === 0 ? '' : `?${info.query}`;
    return { status: 301, headers: { location: `${encodePath(info.path)}/${query}` }, body: new Uint8Array(0) };
  }
  const received = await send(call, { connection, path });
  return received === undefined ? hijacked : responseOf(received, call, connection);
}

/** Returns the rest of the request's path, to request from the server behind the object. Can be empty. */
function pathBehind({ info }: ResourceCall): string {
  const rest = info.remainder.join('/');
  const slash = info.path.endsWith('/') ? '/' : '';
  return rest === '' ? slash : `/${rest}${slash}`;
}

/**
 * Sends the request. Resolves with the response's status and headers, or with undefined once client and server have
 * switched protocols.
 */
function send(
  call: ResourceCall,
  to: { readonly connection: ProxyConnection; readonly path: string },
): Promise<IncomingMessage | undefined> {
  const { request, info } = call;
  const { stream, isTls } = to.connection;
  const query = info.query.size === 0 ? '' : `?${info.query}`;
  const upgrade = request.upgrade && request.headers['upgrade'];
  return new Promise((resolve, reject) => {
    const broken = (cause: Error): void => reject(unreachable(cause));
    stream.once('error', broken);
    const outgoing = httpRequest({
      method: request.method,
      path: `${encodePath(to.path === '' ? '/' : to.path)}${query}`,
      headers: headersOf(call, upgrade),
      // Like upstream, does not verify the certificate of the target.
      createConnection: () => (isTls ? startTls({ socket: stream, rejectUnauthorized: false }) : stream),
      signal: request.signal,
    });
    outgoing.once('response', resolve);
    outgoing.once('upgrade', (message, upgraded, head) => {
      joinStreams(request, { message, stream: upgraded, head });
      resolve(undefined);
    });
    outgoing.once('error', broken);
    const body = lengthOf(request) === undefined ? undefined : request.body;
    if (body === undefined) outgoing.end();
    else pipeline(body instanceof Uint8Array ? [body] : Readable.from(body), outgoing).catch(broken);
  });
}

/** Returns the header that frames the body, by its length or as chunks; undefined if there is no body. */
function lengthOf({ method, headers }: ApiRequest): OutgoingHttpHeaders | undefined {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  if (length !== undefined) return { 'content-length': length };
  // Over HTTP/2, a body can arrive without either header.
  return coding !== undefined || /^(?:POST|PUT|PATCH)$/.test(method) ? { 'transfer-encoding': 'chunked' } : undefined;
}

/** Returns the client's headers, without credentials and identity. */
function headersOf(call: ResourceCall, upgrade: string | undefined): OutgoingHttpHeaders {
  const headers = Object.entries(forwardedHeaders(call)).filter(([name]) => !name.startsWith('x-remote-'));
  const { host } = call.request.headers;
  return {
    ...Object.fromEntries(headers),
    ...lengthOf(call.request),
    ...defined({ host, connection: upgrade && 'Upgrade', upgrade }),
  };
}

async function responseOf(
  message: IncomingMessage,
  { info, request }: ResourceCall,
  { host }: ProxyConnection,
): Promise<ApiResponse> {
  const headers = responseHeaders(message.headersDistinct);
  const { location } = headers;
  const depth = info.path.replace(/\/+$/, '').split('/').length - info.remainder.length;
  const prefix = encodePath(info.path.split('/').slice(0, depth).join('/'));
  const rewrite = (link: string): string => behindProxy(link, { prefix, hosts: [host, request.headers['host']] });
  if (typeof location === 'string') headers['location'] = rewrite(location);
  const broken = (cause: unknown): Error =>
    new Error(`the response to ${request.method} ${info.path} was cut off`, { cause });
  const response = { status: message.statusCode ?? 502, headers };
  const hasLinks = location === undefined && request.method !== 'HEAD' && hasRewritableLinks(message);
  if (!hasLinks) return { ...response, body: new StreamedBody(message, broken) };
  // The new links have other lengths.
  delete headers['content-length'];
  const encoding = message.headers['content-encoding'] ?? '';
  return { ...response, body: new StreamedBody(await rewriteLinks(message, { encoding, rewrite }), broken) };
}

/** Rewrites the link of a redirect or a page for the client, which reaches targets on the same server through the proxy. */
function behindProxy(
  location: string,
  { prefix, hosts }: { readonly prefix: string; readonly hosts: readonly (string | undefined)[] },
): string {
  if (location.startsWith('/') && !location.startsWith('//'))
    return isBelow(location, prefix) ? location : prefix + location;
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (url === undefined || !hosts.includes(url.host)) return location;
  return `${isBelow(url.pathname, prefix) ? '' : prefix}${url.pathname}${url.search}${url.hash}`;
}

/** Reports whether a server that knows its prefix, from `X-Forwarded-Uri`, has already added it to the path. */
function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function unreachable(cause: Error): Error {
  const message = `error trying to reach service: ${cause.message}`;
  return failure(503, { reason: 'ServiceUnavailable', message });
}
