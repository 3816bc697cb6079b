/** Limits on what clients may request from the server. Sizes are in bytes. */
export interface HttpLimits {
  /** Maximum size of a request body. @defaultValue 3 MiB, as in upstream */
  readonly maxBodyBytes: number;
  /** Maximum total size of a request's headers. @defaultValue 64 KiB */
  readonly maxHeaderBytes: number;
  /** Time for an HTTP/1.1 client to send a request's headers. @defaultValue 10 s */
  readonly headersTimeoutMs: number;
  /** Time a connection may stay open without a first request. @defaultValue 30 s */
  readonly firstRequestTimeoutMs: number;
  /**
   * Time for a client to send a request body, from when the server starts to read it. After that, the client gets a 504.
   * @defaultValue 30 s
   */
  readonly bodyTimeoutMs: number;
  /**
   * Time to respond to a request, and time for a client to read a large response. A watch is aborted only after its
   * client has read nothing for this long. Logs and connections to pods have no limit.
   *
   * @defaultValue 60 s
   */
  readonly requestTimeoutMs: number;
  /** Responses larger than this are compressed for clients that accept gzip. @defaultValue 128 KiB */
  readonly gzipThresholdBytes: number;
  /**
   * Maximum number of open sockets. At the limit, a new socket replaces the one that has been idle longest; sockets
   * without a proven identity are evicted first. The new socket is rejected only if all other sockets have requests in
   * progress.
   *
   * @defaultValue 4,096
   */
  readonly maxConnections: number;
  /**
   * Maximum number of concurrent requests on one HTTP/2 connection, capped at 500 on Node versions before 22.11. Clients send all
   * their requests over one connection. @defaultValue 1,000
   */
  readonly maxConcurrentStreams: number;
  /**
   * Maximum memory of one HTTP/2 connection, in MiB. With Node's default of 10, a few slow readers would make the connection
   * reject new streams.
   *
   * @defaultValue 512
   */
  readonly maxSessionMemoryMiB: number;
  /**
   * Maximum number of streams that a client may reset in a burst. Node's default of 1,000 disconnects clients that end
   * many watches. Ignored on Node versions before 22.11.
   *
   * @defaultValue 20,000
   */
  readonly streamResetBurst: number;
  /** Streams that a client may reset per second beyond the burst; Node's default is 33. @defaultValue 5,000 */
  readonly streamResetRate: number;
  /**
   * Time a connection without requests is kept open. Must be longer than clients keep idle connections (Go: 90 s).
   * @defaultValue 3 minutes
   */
  readonly keepAliveMs: number;
  /** Time {@link HttpServer.close} waits for requests in progress. @defaultValue 2 s */
  readonly closeGraceMs: number;
}

/** The default limits. */
export const defaultLimits: HttpLimits = {
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
