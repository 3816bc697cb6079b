import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server as Listener, Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { nodeHttp } from '@kubewright/client/internal';
import type { SocketAddress, Sockets } from '../sockets.ts';
import type { IngressCertificates } from './ingress-certificates.ts';
import type { IngressTable, IngressTarget } from './ingress-rules.ts';

const { createServer, request } = nodeHttp();

/** Options for {@link IngressProxy}. */
export interface IngressProxyOptions {
  /** Accepts the connections. It is closed with the proxy. */
  readonly listener: Listener;
  readonly sockets: Sockets;
  readonly table: IngressTable;
  /** Returns the endpoints of a service, in the order in which to try them. */
  readonly endpoints: (target: IngressTarget) => readonly SocketAddress[];
  /** Serves HTTPS with these certificates. @defaultValue HTTP */
  readonly certificates?: IngressCertificates | undefined;
}

/** Headers that apply to a single connection, and so are not forwarded. */
const ownHeaders: readonly string[] = [
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
];

/** Forwards HTTP or HTTPS requests, including WebSockets, according to the rules of Ingresses. */
export class IngressProxy implements Disposable {
  readonly #options: IngressProxyOptions;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();

  constructor(options: IngressProxyOptions) {
    this.#options = options;
    const serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => void this.#serve(incoming, outgoing);
    this.#server = options.certificates ? tlsServer(options.certificates, serve) : createServer(serve);
    this.#server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      if (!isWebSocket(incoming)) return this.#serveWithoutUpgrade(incoming, socket, head);
      socket.unshift(head);
      void this.#upgrade(incoming, socket);
    });
    options.listener.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.on('error', () => undefined).once('close', () => this.#connections.delete(socket));
      this.#server.emit('connection', socket);
      socket.resume();
    });
  }

  [Symbol.dispose](): void {
    this.#options.listener.close();
    for (const socket of this.#connections) socket.destroy();
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const found = await this.#open(incoming);
      if (typeof found === 'number') return fail(outgoing, found);
      const forwarded = request({ ...found, ...this.#forwarded(incoming) });
      forwarded.once('response', (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, withoutOwn(response));
        pipeline(response, outgoing, () => undefined);
      });
      forwarded.once('error', () => fail(outgoing, 502));
      outgoing.once('close', () => forwarded.destroy());
      pipeline(incoming, forwarded, () => undefined);
    } catch {
      fail(outgoing, 502);
    }
  }

  /** Passes a request to the server again without its `Upgrade` header, because Node has already detached its HTTP parser. */
  #serveWithoutUpgrade(incoming: IncomingMessage, client: Socket, head: Buffer): void {
    client.unshift(Buffer.concat([Buffer.from(headWithoutUpgrade(incoming), 'latin1'), head]));
    this.#server.emit(isTls(client) ? 'secureConnection' : 'connection', client);
    client.resume();
  }

  async #upgrade(incoming: IncomingMessage, client: Socket): Promise<void> {
    client.on('error', () => undefined);
    const found = await this.#open(incoming).catch(() => 502);
    if (typeof found === 'number')
      return void client.end(`HTTP/1.1 ${found} ${textOf(found)}\r\nconnection: close\r\n\r\n`);
    // A client that has already disconnected emits no second close event.
    if (client.destroyed) return void found.createConnection().destroy();
    const { connection, upgrade } = incoming.headers;
    const { headers, ...rest } = this.#forwarded(incoming);
    const forwarded = request({ ...found, ...rest, headers: { ...headers, connection, upgrade } });
    forwarded.once('error', () => client.destroy());
    client.once('close', () => forwarded.destroy());
    forwarded.once('response', (response) => {
      // Without chunked encoding, closing the connection marks the end of the body.
      const { 'transfer-encoding': _chunked, ...kept } = withoutOwn(response);
      client.write(headOf(response, { ...kept, connection: 'close' }));
      pipeline(response, client, () => undefined);
    });
    forwarded.once('upgrade', (response, socket, head) => {
      socket.unshift(head);
      client.write(headOf(response, response.headers));
      pipeline(socket, client, () => undefined);
      pipeline(client, socket, () => undefined);
    });
    forwarded.end();
  }

  /** Connects to the first endpoint that accepts the connection. Returns a status code if none does. */
  async #open({ headers, url = '/' }: IncomingMessage): Promise<{ readonly createConnection: () => Socket } | number> {
    const rule = this.#options.table.find({ host: headers.host ?? '', url });
    if (!rule) return 404;
    let code = 503;
    for (const endpoint of this.#options.endpoints(rule.target)) {
      try {
        const socket = await this.#options.sockets.connect(endpoint);
        return { createConnection: () => socket };
      } catch {
        // Try the next endpoint.
        code = 502;
      }
    }
    return code;
  }

  #forwarded(incoming: IncomingMessage): {
    readonly method: string;
    readonly path: string;
    readonly headers: OutgoingHttpHeaders;
  } {
    const { headers, method = 'GET', url: path = '/', socket } = incoming;
    const client = socket.remoteAddress ?? '';
    const before = headers['x-forwarded-for'];
    const added = {
      'x-forwarded-for': before === undefined ? client : `${String(before)}, ${client}`,
      'x-forwarded-host': headers.host,
      'x-forwarded-proto': isTls(socket) ? 'https' : 'http',
      'x-real-ip': client,
    };
    return { method, path, headers: { ...withoutOwn(incoming), ...added } };
  }
}

function tlsServer(
  certificates: IngressCertificates,
  serve: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Server {
  const { key, certificate: cert } = certificates.fallback;
  const SNICallback: NonNullable<TlsOptions['SNICallback']> = (name, done) => done(null, certificates.contextOf(name));
  return createTlsServer({ key, cert, SNICallback, ALPNProtocols: ['http/1.1'] }, serve);
}

function isTls(socket: Socket): boolean {
  return (socket as Partial<TLSSocket>).encrypted === true;
}

/** True for a WebSocket handshake. Other upgrades, such as the `h2c` that Java's client offers, may be ignored. */
function isWebSocket({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && !hasBody;
}

/** Returns the head of a request as received, without the headers that offer an upgrade. */
function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    if (/^(?:upgrade|http2-settings)$/i.test(name)) continue;
    lines.push(`${name}: ${/^connection$/i.test(name) ? withoutUpgrade(value) : value}`);
  }
  return [...lines, '', ''].join('\r\n');
}

/** Returns the value of a Connection header without the names of the headers that offer an upgrade. */
function withoutUpgrade(value: string): string {
  return value
    .split(',')
    .filter((name) => !/^(?:upgrade|http2-settings)$/i.test(name.trim()))
    .join(',');
}

function withoutOwn({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name)));
}

function headOf({ statusCode = 502, statusMessage = '' }: IncomingMessage, headers: OutgoingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  );
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n');
}

function fail(outgoing: ServerResponse, code: number): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(code, { 'content-type': 'text/plain' }).end(`${textOf(code)}\n`);
}

function textOf(code: number): string {
  return (
    { 404: 'no Ingress rule matches', 503: 'the service has no endpoints' }[code] ?? 'the endpoint does not respond'
  );
}
