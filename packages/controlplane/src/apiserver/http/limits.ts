/** Bounds on what clients may ask of the server. Sizes in bytes. */
export interface HttpLimits {
  /** A request's body. @defaultValue 3 MiB, as upstream */
  readonly maxBodyBytes: number;
  /** A request's headers. @defaultValue 64 KiB */
  readonly maxHeaderBytes: number;
  /** How long an HTTP/1.1 client may take to send a request's headers. @defaultValue 10 s */
  readonly headersTimeoutMs: number;
  /** How long a connection may stay open without a first request. @defaultValue 30 s */
  readonly firstRequestTimeoutMs: number;
  /** How long a client may take to send a request's body, once the server reads it; then a 504. @defaultValue 30 s */
  readonly bodyTimeoutMs: number;
  /**
   * How long a request may take until it is answered, and a client to read a large answer; watches and other streams
   * excepted. @defaultValue 60 s
   */
  readonly requestTimeoutMs: number;
  /** Bodies larger than this are compressed for clients that accept gzip. @defaultValue 128 KiB */
  readonly gzipThresholdBytes: number;
  /**
   * Sockets at a time. A further one takes the place of the one that is idle longest, those of unknown clients first; it
   * is refused only if all have requests under way. @defaultValue 4,096
   */
  readonly maxConnections: number;
  /** Requests at a time on one HTTP/2 connection; at most 500 on Node 20. @defaultValue 1,000 (clients share one) */
  readonly maxConcurrentStreams: number;
  /** Memory of one HTTP/2 connection, in MiB; node's own 10 refuses streams once some readers are slow. @defaultValue 512 */
  readonly maxSessionMemoryMiB: number;
  /** Streams that a client may reset at once, and per second; node's own 1,000 and 33 cut watchers off. Not on Node 20. */
  readonly streamResetBurst: number;
  readonly streamResetRate: number;
  /** How long a connection without requests is kept; longer than clients keep it (Go: 90 s). @defaultValue 3 minutes */
  readonly keepAliveMs: number;
  /** How long {@link HttpServer.close} waits for requests under way. @defaultValue 2 s */
  readonly closeGraceMs: number;
}

/** The limits when nothing else is said. */
export const DEFAULT_LIMITS: HttpLimits = {
  maxBodyBytes: 3 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  headersTimeoutMs: 10_000,
  firstRequestTimeoutMs: 30_000,
  bodyTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  gzipThresholdBytes: 128 * 1024,
  maxConnections: 4096,
  maxConcurrentStreams: 1000,
  maxSessionMemoryMiB: 512,
  streamResetBurst: 20_000,
  streamResetRate: 5_000,
  keepAliveMs: 180_000,
  closeGraceMs: 2_000,
};
