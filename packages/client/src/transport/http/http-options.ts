import type { Clock } from '@kubewright/apimachinery';

/** How the server is recognised. */
export interface ServerTrust {
  /**
   * Trusted certificates, PEM. As in Go, each may be a root, an intermediate authority or the server's own certificate.
   *
   * @defaultValue the authorities that Node.js ships
   */
  readonly ca?: string | undefined;
  /** Name expected in the certificate, and sent as SNI. @defaultValue the host of the address */
  readonly serverName?: string | undefined;
  /** Accepts any certificate: then anyone on the way can read the credentials. @defaultValue false */
  readonly insecureSkipVerify?: boolean | undefined;
}

/** Limits and time-outs of {@link HttpTransport}; times in milliseconds, sizes in bytes. */
export interface HttpTuning {
  /** Time for TCP, proxy and TLS together. @defaultValue 10 000 */
  readonly connectTimeoutMs?: number;
  /** Idle connections are closed after this; less than the 90 s after which kube-apiserver does. @defaultValue 60 000 */
  readonly idleTimeoutMs?: number;
  /** A connection on which nothing came for so long is asked by PING whether it lives. @defaultValue 30 000 */
  readonly keepAliveIntervalMs?: number;
  /** Time for the answer to that PING. @defaultValue 15 000 */
  readonly keepAliveTimeoutMs?: number;
  /** Largest answer, decoded; watches and followed logs have none. V8 holds no longer string. @defaultValue 512 000 000 */
  readonly maxResponseBytes?: number;
  /** Largest request body. @defaultValue 33 554 432 */
  readonly maxRequestBytes?: number;
  /** Streams on one HTTP/2 connection, if the server allows as many. @defaultValue 1000 */
  readonly maxStreamsPerSession?: number;
  /** HTTP/2 connections for short calls; when all are full, calls wait. @defaultValue 4 */
  readonly maxShortSessions?: number;
  /** HTTP/1.1 connections for short calls. @defaultValue 32 */
  readonly maxHttp1Sockets?: number;
}

export type ResolvedTuning = Required<HttpTuning>;

export function resolveTuning(tuning: HttpTuning = {}): ResolvedTuning {
  return {
    connectTimeoutMs: tuning.connectTimeoutMs ?? 10_000,
    idleTimeoutMs: tuning.idleTimeoutMs ?? 60_000,
    keepAliveIntervalMs: tuning.keepAliveIntervalMs ?? 30_000,
    keepAliveTimeoutMs: tuning.keepAliveTimeoutMs ?? 15_000,
    maxResponseBytes: tuning.maxResponseBytes ?? 512_000_000,
    maxRequestBytes: tuning.maxRequestBytes ?? 32 << 20,
    maxStreamsPerSession: tuning.maxStreamsPerSession ?? 1000,
    maxShortSessions: tuning.maxShortSessions ?? 4,
    maxHttp1Sockets: tuning.maxHttp1Sockets ?? 32,
  };
}

/** All that the connections of one transport, under one client certificate, have in common. */
export interface HttpContext {
  readonly server: URL;
  readonly trust: ServerTrust;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly proxy: URL | undefined;
  readonly protocols: readonly ('h2' | 'http/1.1')[];
  readonly compression: boolean;
  readonly tuning: ResolvedTuning;
  readonly clock: Clock;
}

/** Headers of a request on their way out; a list is sent as repeated headers. */
export type OutgoingHeaders = Readonly<Record<string, string | readonly string[]>>;
