import { Buffer } from 'node:buffer';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Clock, KeyPair } from '@kubewright/apimachinery';
import { networkMessage } from '../webhooks/network-message.ts';
import type { ResolveService } from '../webhooks/service-resolver.ts';
import type { ApiServiceReference, RemoteApiService } from './api-service.ts';

/** One request to the server behind an APIService. */
export interface BackendRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** The other server's consent to switch protocols, with the stream that both speak on from then on. */
export interface SwitchedProtocols {
  readonly message: IncomingMessage;
  readonly stream: Duplex;
  readonly head: Uint8Array;
}

/** An endpoint of the server could not be found, so it was not asked. */
export class NoEndpointError extends Error {}

/** How long until a connection must stand, TLS included, in milliseconds. Waiting for the answer is the caller's affair. */
const CONNECT_MS = 10_000;
/** Less than Node's servers keep an idle connection (5 s): none is taken that its server is about to close. */
const IDLE_MS = 4_000;

/**
 * The server behind an APIService, over HTTP/1.1 and TLS: its certificate must be good for `<service>.<namespace>.svc`, and
 * it is shown the certificate of this server. A connection is kept for the next request.
 */
export class Backend implements Disposable {
  readonly #service: ApiServiceReference;
  readonly #agent: Agent;
  readonly #resolve: ResolveService;
  readonly #clock: Clock;

  constructor(
    { service, caBundle = '', insecureSkipTLSVerify = false }: RemoteApiService['spec'],
    parts: { readonly resolve: ResolveService; readonly clock: Clock; readonly client: KeyPair | undefined },
  ) {
    const { client } = parts;
    this.#service = service;
    this.#resolve = parts.resolve;
    this.#clock = parts.clock;
    this.#agent = new Agent({
      keepAlive: true,
      timeout: IDLE_MS,
      ALPNProtocols: ['http/1.1'],
      servername: `${service.name}.${service.namespace}.svc`,
      rejectUnauthorized: !insecureSkipTLSVerify,
      // As in Go, a bundle may hold an intermediate authority, or just the server's own certificate.
      ...(caBundle !== '' && { ca: Buffer.from(caBundle, 'base64').toString('utf8'), allowPartialTrustChain: true }),
      ...(client && { key: client.key, cert: client.certificate }),
    });
  }

  /**
   * Finds the endpoint that the next request would go to, as a URL.
   *
   * @throws NoEndpointError
   */
  async endpoint(): Promise<{ readonly host: string; readonly port: number; readonly url: string }> {
    try {
      const { host, port } = await this.#resolve(this.#service);
      return { host, port, url: `https://${host.includes(':') ? `[${host}]` : host}:${port}` };
    } catch (cause) {
      throw new NoEndpointError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }

  /**
   * Sends a request to an endpoint; resolves with the beginning of the answer, or with what comes after a switch of protocols.
   *
   * @throws NoEndpointError, and Error in the words that people know from kube-apiserver
   */
  async send(
    request: BackendRequest,
    to?: { readonly host: string; readonly port: number },
  ): Promise<IncomingMessage | SwitchedProtocols> {
    const { host, port } = to ?? (await this.endpoint());
    return this.#attempt(request, { host, port, mayRepeat: /^(?:GET|HEAD)$/.test(request.method) });
  }

  /** Cuts every connection, in use or not. */
  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #attempt(
    { method, path, headers, body, signal }: BackendRequest,
    to: { readonly host: string; readonly port: number; readonly mayRepeat: boolean },
  ): Promise<IncomingMessage | SwitchedProtocols> {
    const { host, port, mayRepeat } = to;
    const { name, namespace, port: servicePort } = this.#service;
    const options: RequestOptions = {
      method,
      host,
      port,
      path,
      agent: this.#agent,
      signal,
      headers: {
        ...headers,
        host: `${name}.${namespace}.svc:${servicePort}`,
        ...(body !== undefined && { 'content-length': body.length }),
      },
    };
    return new Promise((resolve, reject) => {
      const sent = httpsRequest(options);
      const late = this.#clock.setTimer(
        CONNECT_MS,
        () => sent.destroy(new Error(`dial tcp ${host}:${port}: i/o timeout`)),
        {
          unref: true,
        },
      );
      sent.once('socket', (socket) => {
        const connected = (): void => late[Symbol.dispose]();
        if (sent.reusedSocket) connected();
        else socket.once('secureConnect', connected);
      });
      sent.once('close', () => late[Symbol.dispose]());
      sent.once('response', resolve);
      sent.once('upgrade', (message, stream, head) => resolve({ message, stream, head }));
      sent.once('error', (cause: NodeJS.ErrnoException) => {
        // The server closed a connection that it had kept just when it was used again.
        if (mayRepeat && sent.reusedSocket && cause.code === 'ECONNRESET') {
          this.#attempt({ method, path, headers, body, signal }, { ...to, mayRepeat: false }).then(resolve, reject);
        } else reject(new Error(networkMessage(cause, { hostname: host, port }), { cause }));
      });
      sent.end(body);
    });
  }
}
