import type { Duplex } from 'node:stream';

/**
 * A request as the API server sees it, whether it came over a socket or from inside the process.
 * The server is a function of it: `handle(request) → response`.
 */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  readonly connection: Connection;
  /** Present when the caller offers to switch protocols (WebSocket, SPDY): takes the raw stream over. */
  readonly upgrade?: (() => UpgradedStream) | undefined;
}

/** Where a request comes from. */
export interface Connection {
  readonly remoteAddress: string;
  /** `in-process` callers are trusted to name their own identity in `clientCertificate`. */
  readonly protocol: 'h2' | 'http/1.1' | 'in-process';
  /** The verified client certificate's subject. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Why a certificate that was presented is not accepted (wrong authority, expired); such a request is a 401. */
  readonly clientCertificateError?: string | undefined;
}

/** Subject of a client certificate that the server's client CA has signed. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** The raw stream of a request that switched protocols. Whoever takes it writes the 101 answer itself. */
export interface UpgradedStream {
  readonly stream: Duplex;
  readonly head: Uint8Array;
  /** The original node request, for libraries that want it (`ws`). */
  readonly request: unknown;
}

/** An answer. A streamed body is cancelled by `return()` on its iterator. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Answer of a handler that took the stream of an upgraded request; nothing more is to be written. */
export const HIJACKED: ApiResponse = { status: 101, headers: {}, body: new Uint8Array(0) };

/** Anything that answers API requests: the server itself, or one stage of it. */
export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;
