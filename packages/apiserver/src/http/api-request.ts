import type { Duplex } from 'node:stream';

/**
 * A request to the API server, from a socket or from inside the process. The server is a function: `handle(request) → response`.
 *
 * @example
 * ```ts
 * const request: ApiRequest = {
 *   method: 'GET',
 *   path: '/api/v1/pods?limit=500',
 *   headers: { accept: 'application/json' },
 *   signal: AbortSignal.timeout(5_000),
 *   connection: { remoteAddress: '127.0.0.1', protocol: 'in-process' },
 * };
 * ```
 */
export interface ApiRequest {
  readonly method: string;
  /** The path and query as sent. */
  readonly path: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Alternating header names and values, as received. Repeated headers stay separate, unlike in `headers`. Absent for in-process
   * callers.
   */
  readonly rawHeaders?: readonly string[] | undefined;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  readonly connection: Connection;
  /** Takes over the raw stream. Present when the caller offers to switch protocols (WebSocket, SPDY). */
  readonly upgrade?: (() => UpgradedStream) | undefined;
}

/**
 * The connection that a request arrives on.
 *
 * @example
 * ```ts
 * import type { Connection } from '@kubewright/apiserver';
 *
 * const admin: Connection = {
 *   remoteAddress: '127.0.0.1',
 *   protocol: 'in-process',
 *   clientCertificate: { commonName: 'admin', organizations: ['system:masters'] },
 * };
 * ```
 */
export interface Connection {
  readonly remoteAddress: string;
  /** `in-process` callers are trusted to name their own identity in `clientCertificate`. */
  readonly protocol: 'h2' | 'http/1.1' | 'in-process';
  /** The subject of the verified client certificate. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** The reason a presented certificate was rejected, such as an unknown authority or expiry. The request gets a 401. */
  readonly clientCertificateError?: string | undefined;
}

/** The subject of a client certificate signed by the server's client CA. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The certificate in DER, for servers that trust several CAs for different purposes. Absent for in-process callers. */
  readonly der?: Uint8Array | undefined;
}

/** The raw stream of a request that switched protocols. The code that takes it over writes the 101 response itself. */
export interface UpgradedStream {
  readonly stream: Duplex;
  readonly head: Uint8Array;
  /** The original Node request, for libraries that need it (`ws`). */
  readonly request: unknown;
}

/**
 * A response of the API server. Calling `return()` on the iterator of a streamed body cancels the stream.
 *
 * @example
 * ```ts
 * const unavailable: ApiResponse = {
 *   status: 503,
 *   headers: { 'retry-after': '1' },
 *   body: Buffer.from('the server is starting\n'),
 * };
 * ```
 */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** The response of a handler that took over the stream of an upgraded request. The server writes nothing more. */
export const hijacked: ApiResponse = { status: 101, headers: {}, body: new Uint8Array(0) };

/**
 * A function that serves API requests: the server itself, or one stage of it.
 *
 * @example
 * ```ts
 * function logged(handle: ApiHandler): ApiHandler {
 *   return async (request) => {
 *     const response = await handle(request);
 *     log.info('request', { method: request.method, path: request.path, status: response.status });
 *     return response;
 *   };
 * }
 * ```
 */
export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;
