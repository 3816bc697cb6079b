import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '@kubewright/runtime';
import { operatorUser, replicationUser, statusPort } from '../protocol.ts';
import type { InstanceCertificates } from './certificates.ts';

/** The response to a request: a status code with an optional JSON body or text. */
export interface Response {
  readonly code: number;
  readonly body?: object;
  readonly text?: { readonly type: string; readonly content: string };
}

/** The sender of a request, identified by its client certificate. */
export type Caller = 'operator' | 'instance' | 'anyone';

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Must match the whole path. */
  readonly path: RegExp;
  readonly callers: readonly Caller[];
  handle(request: { readonly match: RegExpExecArray; readonly query: URLSearchParams }): Promise<Response> | Response;
}

export interface StatusServerOptions {
  readonly address: string;
  readonly certificates: Pick<InstanceCertificates, 'server'>;
  readonly routes: readonly Route[];
  readonly log: Logger;
}

/** Serves the state of an instance, or the metrics of a pooler, over HTTPS. See `protocol.ts`. */
export class StatusServer implements AsyncDisposable {
  readonly #options: StatusServerOptions;
  readonly #server: Server;

  private constructor(options: StatusServerOptions) {
    this.#options = options;
    this.#server = createServer(secureContext(options.certificates), (request, response) => {
      void this.#serve(request, response);
    });
    // Ignores clients that do not speak TLS or disconnect early.
    this.#server.on('tlsClientError', () => undefined);
  }

  static async start(options: StatusServerOptions): Promise<StatusServer> {
    const server = new StatusServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(statusPort, options.address, resolve);
    });
    return server;
  }

  /** Uses the renewed certificates for new connections. */
  renew(certificates: Pick<InstanceCertificates, 'server'>): void {
    this.#server.setSecureContext(secureContext(certificates));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const { code, body, text }: Response = await this.#respond(request).catch((error: unknown) => {
      this.#options.log.error('cannot serve a request', { path: request.url, error });
      return { code: 500, body: { message: error instanceof Error ? error.message : String(error) } };
    });
    const json = body && { type: 'application/json', content: `${JSON.stringify(body)}\n` };
    const { type, content } = text ?? json ?? {};
    response.writeHead(code, type === undefined ? {} : { 'content-type': type }).end(content);
  }

  async #respond(request: IncomingMessage): Promise<Response> {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'https://instance');
    const caller = callerOf(request.socket as TLSSocket);
    for (const { method, path, callers, handle } of this.#options.routes) {
      const match = path.exec(pathname);
      if (!match || match[0] !== pathname || method !== request.method) continue;
      if (!callers.includes('anyone') && !callers.includes(caller)) {
        return {
          code: 403,
          body: { message: `${pathname} requires the client certificate of the ${callers.join(' or ')}` },
        };
      }
      return handle({ match, query });
    }
    return { code: 404, body: { message: `${request.method} ${pathname} does not exist` } };
  }
}

function secureContext({ server }: Pick<InstanceCertificates, 'server'>): object {
  const { certificate: cert, key, authorities: ca } = server;
  // Probes have no certificate, so each route checks the caller itself.
  return { cert, key, ca, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' };
}

function callerOf(socket: TLSSocket): Caller {
  if (!socket.authorized) return 'anyone';
  const { CN } = socket.getPeerCertificate().subject ?? {};
  if (CN === operatorUser) return 'operator';
  return CN === replicationUser ? 'instance' : 'anyone';
}
