import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectTls } from 'node:tls';
import type { Container, HTTPGetAction } from '@kubewright/apimachinery/core/v1';
import { nodeHttp } from '@kubewright/client/internal';
import type { Sockets } from '../../network/sockets.ts';
import { hostPort, networkFault } from './network-fault.ts';
import { portOf } from './port-of.ts';
import type { ProbeResult, ProbeTarget } from './probe-runner.ts';

const { request: httpRequest } = nodeHttp();

const maxRequests = 10;
/** Bytes of a body that a warning quotes. */
const maxBody = 10_240;

interface Options {
  readonly podIP: string;
  readonly container: Container;
  readonly signal: AbortSignal;
  readonly sockets: Sockets;
}

interface Request {
  readonly url: URL;
  /** The URL as error messages show it: without a default port that the probe does not name. */
  readonly shown: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends the request of an HTTP probe or hook, as the kubelet's prober does (1.36): certificates are not verified. Redirects to
 * the same host are followed; a redirect to another host counts as success, with a warning.
 */
export async function httpProbe(action: HTTPGetAction, options: Options): Promise<ProbeResult> {
  const shown = urlOf(action, options);
  const headers = { 'user-agent': 'kube-probe/1.36', accept: '*/*', connection: 'close', ...headersOf(action) };
  const first = new URL(shown);
  let request: Request = { url: first, shown, headers };
  for (let sent = 1; ; sent++) {
    const response = await send(request, options);
    if (typeof response === 'string') return { ok: false, output: `Get "${request.shown}": ${response}` };
    const status = response.statusCode ?? 0;
    const location = redirects.has(status) ? response.headers.location : undefined;
    const next = location === undefined ? undefined : redirected(request, location);
    if (next === undefined || next.url.hostname !== first.hostname) return resultOf(status, response);
    response.resume();
    if (sent === maxRequests) return { ok: false, output: `Get "${location}": stopped after 10 redirects` };
    request = next;
  }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

async function resultOf(status: number, response: IncomingMessage): Promise<ProbeResult> {
  if (status >= 300 && status < 400)
    return { ok: true, output: '', warning: `Probe terminated redirects, Response body: ${await bodyOf(response)}` };
  response.resume();
  const ok = status >= 200 && status < 300;
  return { ok, output: ok ? '' : `HTTP probe failed with statuscode: ${status}` };
}

/** Returns the request that follows a redirect, or undefined if the location is not a URL. */
function redirected({ url, headers }: Request, location: string): Request | undefined {
  if (!URL.canParse(location, url.href)) return undefined;
  const next = new URL(location, url);
  // A custom Host header is for the first host; a relative location keeps it.
  const { host, ...rest } = headers;
  const kept = host === undefined || URL.canParse(location) ? rest : headers;
  return { url: next, shown: next.href, headers: { ...kept, referer: url.href } };
}

/** Returns the response, or the kubelet's message for the failure. */
async function send({ url, headers }: Request, { signal, sockets }: Options): Promise<IncomingMessage | string> {
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  try {
    const socket = await sockets.connect({ host, port });
    // The probe has timed out.
    if (signal.aborted) socket.destroy();
    const createConnection = () => (isSecure ? connectTls({ socket, rejectUnauthorized: false }) : socket);
    const settings = { host, port, path: url.pathname + url.search, headers, signal, createConnection };
    return await new Promise((resolve, reject) => {
      const request = isSecure ? httpsRequest(settings) : httpRequest(settings);
      request.on('response', resolve).on('error', reject).end();
    });
  } catch (error) {
    return networkFault(error, { host, port });
  }
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let body = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    body += chunk;
    if (body.length > maxBody) break;
  }
  return body.slice(0, maxBody);
}

/** Returns the URL of a request, such as `http://10.0.0.1:8080/healthz`. */
export function urlOf(action: HTTPGetAction, { podIP, container }: Pick<ProbeTarget, 'podIP' | 'container'>): string {
  const address = hostPort({ host: action.host || podIP, port: portOf(action.port, container) });
  const path = (action.path ?? '/').replace(/^(?!\/)/, '/');
  return `${action.scheme === 'HTTPS' ? 'https' : 'http'}://${address}${path}`;
}

function headersOf(action: HTTPGetAction): Record<string, string> {
  return Object.fromEntries((action.httpHeaders ?? []).map(({ name, value }) => [name.toLowerCase(), value]));
}
