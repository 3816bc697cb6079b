import { createSecureServer, type Http2SecureServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { readFileSync } from 'node:fs';

export interface Pem {
  readonly cert: string;
  readonly key: string;
}

/** The certificates of these tests, created by make-certificates.sh. */
export const certificates: { readonly ca: string; readonly server: Pem; readonly client: Pem; readonly renewed: Pem } =
  JSON.parse(readFileSync(new URL('./certificates.json', import.meta.url), 'utf8'));

export type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** A server on a free port on this machine that counts its connections. */
export class TlsServer implements AsyncDisposable {
  readonly server: Http2SecureServer;
  readonly sockets: Set<Socket> = new Set();
  readonly sessions: Set<ServerHttp2Session> = new Set();
  connections = 0;

  private constructor(server: Http2SecureServer) {
    this.server = server;
    server.on('secureConnection', (socket: TLSSocket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => {});
    });
    server.on('session', (session) => {
      this.sessions.add(session);
      session.on('close', () => this.sessions.delete(session));
      session.on('error', () => {});
    });
  }

  static async start(handler: Handler, options: { readonly maxConcurrentStreams?: number } = {}): Promise<TlsServer> {
    const server = createSecureServer(
      {
        ...certificates.server,
        ca: certificates.ca,
        requestCert: true,
        rejectUnauthorized: false,
        allowHTTP1: true,
        maxSessionMemory: 1000,
        streamResetBurst: 100_000,
        streamResetRate: 100_000,
        maxSessionInvalidFrames: 100_000,
        maxSessionRejectedStreams: 100_000,
        settings: { maxConcurrentStreams: options.maxConcurrentStreams ?? 20_000 },
      },
      handler,
    );
    const started = new TlsServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
