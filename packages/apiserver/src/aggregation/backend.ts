import { Buffer } from 'node:buffer';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { type Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Clock } from '@kubewright/apimachinery';
import { type KeyPair, trustBundle } from '@kubewright/apimachinery/internal';
import { type Dial, dialingAgent } from '../webhooks/dialing-agent.ts';
import { networkMessage } from '../webhooks/network-message.ts';
import type { ResolveService } from '../webhooks/service-resolver.ts';
import type { ApiServiceReference, RemoteApiService } from './api-service.ts';

/** A request to the server behind an APIService. */
export interface BackendRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** The other server's agreement to switch protocols, with the resulting stream. */
export interface SwitchedProtocols {
  readonly message: IncomingMessage;
  readonly stream: Duplex;
  readonly head: Uint8Array;
}

/** Thrown when the server has no reachable endpoint. No request was sent. */
export class NoEndpointError extends Error {}

/** Timeout for establishing a connection, including TLS, in milliseconds. Waiting for the response is up to the caller. */
const connectMs = 10_000;
/** Less than the idle timeout of Node servers (5 s), so we never reuse a connection that the server is about to close. */
const idleMs = 4_000;

/**
 * The server behind an APIService, over HTTP/1.1 and TLS. Unless the APIService skips verification, the server's
 * certificate must be valid for `<service>.<namespace>.svc`. A client certificate is presented if there is one.
 * Connections are reused.
 */
export class Backend implements Disposable {
  readonly #service: ApiServiceReference;
  readonly #agent: Agent;
  readonly #resolve: ResolveService;
  readonly #clock: Clock;

  constructor(
    { service, caBundle = '', insecureSkipTLSVerify = false }: RemoteApiService['spec'],
    parts: {
      readonly resolve: ResolveService;
      readonly clock: Clock;
      readonly client: KeyPair | undefined;
      /** Opens connections. @defaultValue this process's own sockets */
      readonly dial?: Dial | undefined;
    },
  ) {
    const { client } = parts;
    this.#service = service;
    this.#resolve = parts.resolve;
    this.#clock = parts.clock;
    const options = {
      keepAlive: true,
      timeout: idleMs,
      ALPNProtocols: ['http/1.1'],
      servername: `${service.name}.${service.namespace}.svc`,
      rejectUnauthorized: !insecureSkipTLSVerify,
      // As in Go, a bundle can contain an intermediate CA, or only the server's own certificate.
      ...(caBundle !== '' && trustBundle(Buffer.from(caBundle, 'base64').toString('utf8'))),
      ...(client && { key: client.key, cert: client.certificate }),
    };
    this.#agent = dialingAgent(options, parts.dial);
  }

  /**
   * Returns the endpoint for the next request, with its URL.
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
   * Sends a request to an endpoint. Resolves with the response's status and headers, or with the stream of the switched protocol.
   *
   * @throws NoEndpointError, or Error with kube-apiserver's message
   */
  async send(
    request: BackendRequest,
    to?: { readonly host: string; readonly port: number },
  ): Promise<IncomingMessage | SwitchedProtocols> {
    const { host, port } = to ?? (await this.endpoint());
    return this.#attempt(request, { host, port, mayRepeat: /^(?:GET|HEAD)$/.test(request.method) });
  }

  /** Closes all connections, including those in use. */
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
        connectMs,
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
        // The server closed an idle connection just as it was reused.
        if (mayRepeat && sent.reusedSocket && cause.code === 'ECONNRESET') {
          this.#attempt({ method, path, headers, body, signal }, { ...to, mayRepeat: false }).then(resolve, reject);
        } else reject(new Error(networkMessage(cause, { hostname: host, port }), { cause }));
      });
      sent.end(body);
    });
  }
}
