import type { Clock } from '@kubewright/apimachinery';

/** Settings for authenticating the server. */
export interface ServerTrust {
  /**
   * Trusted certificates, in PEM. As in Go, each can be a root CA, an intermediate CA or the server's own certificate.
   * @defaultValue the CAs that ship with Node.js
   */
  readonly ca?: string | undefined;
  /** Name expected in the certificate, and sent as SNI. @defaultValue the host of the address */
  readonly serverName?: string | undefined;
  /** True to accept any certificate. Anyone on the network path can then read the credentials. @defaultValue false */
  readonly insecureSkipVerify?: boolean | undefined;
}

/** Limits and timeouts of {@link HttpTransport}; times in milliseconds, sizes in bytes. */
export interface HttpTuning {
  /** Time limit for TCP, proxy and TLS together. @defaultValue 10 000 */
  readonly connectTimeoutMs?: number;
  /**
   * Time after which idle connections are closed; must be less than kube-apiserver's 90 s. @defaultValue 60 000
   */
  readonly idleTimeoutMs?: number;
  /** Time without data after which a PING checks the connection. @defaultValue 30 000 */
  readonly keepAliveIntervalMs?: number;
  /** Time limit for the response to the PING. @defaultValue 15 000 */
  readonly keepAliveTimeoutMs?: number;
  /**
   * Maximum size of a decoded response; does not apply to watches and followed logs. The default is about the longest
   * string that V8 supports.
   * @defaultValue 512 000 000
   */
  readonly maxResponseBytes?: number;
  /** Maximum size of a request body. @defaultValue 33 554 432 */
  readonly maxRequestBytes?: number;
  /** Maximum streams on one HTTP/2 connection, if the server allows that many. @defaultValue 1000 */
  readonly maxStreamsPerSession?: number;
  /** Maximum HTTP/2 connections for short calls; when all are full, calls wait. @defaultValue 4 */
  readonly maxShortSessions?: number;
  /** Maximum HTTP/1.1 connections for short calls. @defaultValue 32 */
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

/** Settings shared by the connections of one transport with one client certificate. */
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

/** Headers of an outgoing request; a list is sent as repeated headers. */
export type OutgoingHeaders = Readonly<Record<string, string | readonly string[]>>;
