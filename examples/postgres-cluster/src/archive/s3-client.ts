import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises'; // seam: see its use
import { ArchiveError } from './archive-error.ts';
import { encodeName, sha256, signedHeaders } from './sigv4.ts';
import { textOf } from './xml.ts';

/** A bucket, with its endpoint and credentials. */
export interface S3Bucket {
  /** For example `https://s3.example.com`. Requests use path-style addressing, which every implementation supports. */
  readonly endpoint: string;
  readonly bucket: string;
  /** @defaultValue `us-east-1`; implementations other than Amazon's ignore the region */
  readonly region?: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD';
  /** Key of the object; empty for the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
  /** Status codes that the caller handles. Any other status throws. */
  readonly accept: readonly number[];
  /** @defaultValue the `attempts` of the client */
  readonly attempts?: number;
}

/**
 * Number of attempts that bridge an outage of about five minutes. Used when a failure would throw away hours of work.
 */
export const patientAttempts = 25;
const longestWaitMs = 15_000;

export interface S3ClientOptions {
  readonly now?: () => Date;
  /** Waits between two attempts. Replaceable for tests. */
  readonly wait?: (ms: number, options: { readonly signal: AbortSignal }) => Promise<void>;
  readonly attempts?: number;
  /** A request fails if the connection is idle for this long. */
  readonly idleTimeoutMs?: number;
}

/** Sends signed requests to a bucket, and retries transient failures. */
export class S3Client {
  readonly #bucket: S3Bucket;
  readonly #options: Required<S3ClientOptions>;

  constructor(bucket: S3Bucket, options: S3ClientOptions = {}) {
    this.#bucket = bucket;
    this.#options = {
      now: () => new Date(), // seam: the default
      wait: (ms, { signal }) => delay(ms, undefined, { signal }),
      attempts: 4,
      idleTimeoutMs: 30_000,
      ...options,
    };
  }

  /** Sends a request. The caller must consume the response body. @throws ArchiveError */
  async send(request: S3Request): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      request.signal.throwIfAborted();
      const failure = await this.#try(request);
      if (!(failure instanceof ArchiveError)) return failure;
      const { attempts = this.#options.attempts } = request;
      if (failure.reason !== 'Unavailable' || attempt >= attempts) throw failure;
      await this.#options.wait(Math.min(100 * 2 ** attempt, longestWaitMs), request);
    }
  }

  /** Sends a request once. Returns the error if the request fails or the status is not accepted. */
  async #try(request: S3Request): Promise<IncomingMessage | ArchiveError> {
    const { endpoint, bucket } = this.#bucket;
    const what = `${request.method} ${[endpoint, bucket, request.key].join('/')}`;
    let response: IncomingMessage;
    try {
      response = await this.#exchange(request);
    } catch (cause) {
      request.signal.throwIfAborted();
      return new ArchiveError('Unavailable', `cannot reach the archive: ${what}: ${messageOf(cause)}`, { cause });
    }
    const { statusCode = 0 } = response;
    if (request.accept.includes(statusCode)) return response;
    const body = await text(response).catch(() => '');
    const detail = [textOf(body, 'Code'), textOf(body, 'Message')].filter(Boolean).join(': ');
    const message = `the archive responded ${statusCode} to ${what}${detail && `: ${detail}`}`;
    if (statusCode >= 500 || statusCode === 429 || statusCode === 409) return new ArchiveError('Unavailable', message);
    return new ArchiveError(statusCode === 401 || statusCode === 403 ? 'Forbidden' : 'Invalid', message);
  }

  #exchange(request: S3Request): Promise<IncomingMessage> {
    const { endpoint, bucket, region = 'us-east-1', accessKeyId, secretAccessKey } = this.#bucket;
    const { method, key, query = {}, body = Buffer.alloc(0), signal } = request;
    const path = [bucket, ...(key === '' ? [] : key.split('/'))].map(encodeName).join('/');
    const url = new URL(path, endpoint.endsWith('/') ? endpoint : `${endpoint}/`);
    url.search = Object.entries(query)
      .map(([name, value]) => `${encodeName(name)}=${encodeName(value)}`)
      .join('&');
    const unsigned = { ...request.headers, 'content-length': String(body.length) };
    const headers = signedHeaders(
      { method, url, headers: unsigned, bodyHash: sha256(body) },
      { accessKeyId, secretAccessKey, region },
      this.#options.now(),
    );
    const send = url.protocol === 'http:' ? requestHttp : requestHttps;
    const timeout = this.#options.idleTimeoutMs;
    return new Promise((resolve, reject) => {
      const sent = send(url, { method, headers, signal, timeout }, resolve);
      sent.on('error', reject);
      sent.on('timeout', () => sent.destroy(new Error(`no response within ${timeout / 1000} s`)));
      sent.end(body);
    });
  }
}

function messageOf(cause: unknown): string {
  // If a connection fails for several addresses, Node throws an AggregateError without a message.
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
