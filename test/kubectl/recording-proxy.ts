import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { answerFacts, type Exchange } from './exchange.ts';
import { readableBody } from './readable-body.ts';

/** A proxy between kubectl and the API server that records requests and responses. */
export interface RecordingProxy {
  /** `host:port` of the proxy. Clients use plain HTTP; the proxy adds the credentials. */
  readonly address: string;
  /** Returns the exchanges recorded since the last call. */
  take(): readonly Exchange[];
  close(): void;
}

/** Options for {@link startRecordingProxy}. */
export interface RecordingProxyOptions {
  /** `https://host:port` of the API server. */
  readonly server: string;
  readonly token: string;
  readonly home: string;
}

/** Starts a proxy on loopback. */
export async function startRecordingProxy(options: RecordingProxyOptions): Promise<RecordingProxy> {
  const target = new URL(options.server);
  const exchanges: Exchange[] = [];
  const places = { server: target.host, home: options.home };
  const server = createServer((request, response) => {
    forward({ request, response, options, target }, (exchange, raw) => {
      if (!request.headers['user-agent']?.startsWith('kubectl-dispatcher')) {
        exchanges.push({ ...exchange, answer: answerFacts(raw, places) });
      }
    });
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket) =>
    tunnel({ request, socket, options, target }, (exchange) => exchanges.push(exchange)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => exchanges.splice(0),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Upstream {
  readonly request: IncomingMessage;
  readonly options: RecordingProxyOptions;
  readonly target: URL;
}

function upstreamOptions({ request, options, target }: Upstream): RequestOptions {
  const { 'accept-encoding': _compressed, ...headers } = request.headers;
  return {
    host: target.hostname,
    port: target.port,
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: { ...headers, host: target.host, authorization: `Bearer ${options.token}` },
    rejectUnauthorized: false,
  };
}

type Remember = (
  exchange: Omit<Exchange, 'answer'>,
  raw: {
    readonly status: number;
    readonly contentType: string | undefined;
    readonly body: string;
    readonly watch: boolean;
  },
) => void;

function forward(exchange: Upstream & { readonly response: ServerResponse }, remember: Remember): void {
  const { request, response } = exchange;
  const sent: Buffer[] = [];
  const got: Buffer[] = [];
  const upstream = httpsRequest(upstreamOptions(exchange), (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // Send the headers now, because the first event of a watch may take a long time.
    response.flushHeaders();
    answer.on('data', (chunk: Buffer) => got.push(chunk));
    answer.on('close', () => {
      const raw = {
        status: answer.statusCode ?? 502,
        contentType: answer.headers['content-type'],
        body: readableBody(Buffer.concat(got), answer.headers['content-type']),
        watch: /[?&]watch=(true|1)/.test(request.url ?? ''),
      };
      remember(requestFacts(request, Buffer.concat(sent)), raw);
    });
    answer.pipe(response);
  });
  upstream.on('error', () => response.destroy());
  response.on('close', () => upstream.destroy());
  request.on('data', (chunk: Buffer) => sent.push(chunk));
  request.pipe(upstream);
}

function tunnel(
  { socket, ...upstream }: Upstream & { readonly socket: Socket },
  remember: (exchange: Exchange) => void,
): void {
  const { request } = upstream;
  const onward = httpsRequest(upstreamOptions(upstream));
  const answer = (status: number, headers: NodeJS.Dict<string | string[]>): void => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    socket.write(`HTTP/1.1 ${status} -\r\n${lines.join('')}\r\n`);
    remember({ ...requestFacts(request, Buffer.alloc(0)), answer: { status } });
  };
  onward.on('upgrade', (response, far: Socket, head) => {
    answer(response.statusCode ?? 101, response.headers);
    far.write(head);
    socket.write(head);
    far.pipe(socket);
    socket.pipe(far);
    far.on('error', () => socket.destroy());
    socket.on('error', () => far.destroy());
  });
  onward.on('response', (response) => {
    answer(response.statusCode ?? 502, { ...response.headers, connection: 'close' });
    response.pipe(socket);
  });
  onward.on('error', () => socket.destroy());
  onward.end();
}

/** Headers that change the response. All others only identify the client. */
const KEPT = /^(impersonate-|sec-websocket-protocol$|upgrade$)/;

function requestFacts(request: IncomingMessage, body: Buffer): Omit<Exchange, 'answer'> {
  const { accept, 'content-type': contentType } = request.headers;
  const kept = Object.entries(request.headers).filter(([name]) => KEPT.test(name));
  const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
  const text = body.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(body);
  return {
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    ...(accept ? { accept } : {}),
    ...(contentType ? { contentType } : {}),
    ...(kept.length > 0 ? { headers } : {}),
    ...(body.length === 0 ? {} : isText ? { body: text } : { bodyBase64: body.toString('base64') }),
  };
}
