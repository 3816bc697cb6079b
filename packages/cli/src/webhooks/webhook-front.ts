import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as httpsRequest, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isIPv6 } from 'node:net';
import { type Clock, parseDurationMs, sleep } from '@kubewright/apimachinery';
import { freePort } from './free-port.ts';
import type { LocalCertificates } from './local-certificates.ts';
import { reachabilityPath } from './reachability.ts';
import { loopback, type WebhookAddress } from './webhook-address.ts';

/** The interval at which a starting operator is retried, in milliseconds. */
const pollMs = 25;
/**
 * The longest time a request waits for the operator, in milliseconds. An operator starts in one second, or in several
 * on a busy machine.
 */
const patienceMs = 15_000;
/** The time subtracted from the API server's timeout so that the response arrives in time, in milliseconds. */
const reserveMs = 500;
const keepAliveMs = 120_000;
/** The same limit as the operator's. It is large because a conversion review can contain a whole list. */
const maxBytes = 128 * 1024 * 1024;

/** Options for a front. */
export interface WebhookFrontOptions {
  readonly certificates: LocalCertificates;
  readonly clock: Clock;
  /** @defaultValue loopback */
  readonly address?: WebhookAddress | undefined;
}

/**
 * A proxy between the API server and an operator under development: the API server calls the same address across restarts.
 * Requests wait while the operator restarts; if it is down, they fail immediately with the reason.
 */
export class WebhookFront implements AsyncDisposable {
  readonly #options: WebhookFrontOptions;
  readonly #server: Server;
  /** The port that the operator's webhooks listen on. */
  readonly operatorPort: number;
  readonly #stop = new AbortController();
  #down: string | undefined = 'it has not started yet';
  #wasProbed = false;

  private constructor(options: WebhookFrontOptions, operatorPort: number) {
    this.#options = options;
    this.operatorPort = operatorPort;
    const { key, certificate: cert } = options.certificates.pair;
    this.#server = createServer({ key, cert }, (request, response) => void this.#serve(request, response));
    // The API server closes idle connections after 90 seconds; closing them earlier on this side could lose a request.
    this.#server.keepAliveTimeout = keepAliveMs;
  }

  static async start(options: WebhookFrontOptions): Promise<WebhookFront> {
    const front = new WebhookFront(options, await freePort());
    await new Promise<void>((resolve, reject) => {
      front.#server.once('error', reject);
      front.#server.listen({ port: 0, host: front.#address.listenOn }, resolve);
    });
    return front;
  }

  /** The URL that the API server calls. */
  get url(): string {
    const { host } = this.#address;
    return `https://${isIPv6(host) ? `[${host}]` : host}:${(this.#server.address() as AddressInfo).port}`; // it listens on TCP
  }

  /** True after a reachability probe has arrived. */
  get wasProbed(): boolean {
    return this.#wasProbed;
  }

  /** Flags that make the operator serve at the expected address, with a trusted certificate. */
  get flags(): readonly string[] {
    const { folder } = this.#options.certificates;
    return ['--webhook-host=127.0.0.1', `--webhook-port=${this.operatorPort}`, `--webhook-cert-path=${folder}`];
  }

  /** Records why the operator is down; undefined means that it is starting. */
  operatorIsDown(why: string | undefined): void {
    this.#down = why;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get #address(): WebhookAddress {
    return this.#options.address ?? loopback;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.#stop.signal]);
    try {
      const body = await read(request);
      if (body === undefined) return reject(response, 'the review is larger than 128 MiB');
      if (request.url?.split('?')[0] === reachabilityPath) return this.#admit(response, body);
      await this.#forward({ request, response, body, signal });
    } catch (error) {
      if (!signal.aborted) reject(response, messageOf(error));
    }
  }

  /** Admits the write of a reachability probe. */
  #admit(response: ServerResponse, body: Uint8Array): void {
    const { apiVersion, kind, request } = JSON.parse(Buffer.from(body).toString('utf8')) as {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly request?: { readonly uid?: string };
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ apiVersion, kind, response: { uid: request?.uid, allowed: true } }));
    this.#wasProbed = true;
  }

  async #forward(call: Call): Promise<void> {
    const { clock } = this.#options;
    const end = clock.monotonic() + patienceOf(call.request);
    for (;;) {
      try {
        return await this.#proxy(call);
      } catch (error) {
        if (call.signal.aborted || call.response.headersSent) throw error;
        const late = clock.monotonic() >= end;
        const why = this.#down ?? (late ? `it does not serve its webhooks (${messageOf(error)})` : undefined);
        if (why !== undefined) throw new Error(downMessage(why), { cause: error });
      }
      // The operator is restarting: reviews have no side effects, so each can be retried.
      await sleep(clock, { ms: pollMs, signal: call.signal });
    }
  }

  #proxy({ request, response, body, signal }: Call): Promise<void> {
    const { method = 'POST', url: path = '/' } = request;
    const headers = { 'content-type': request.headers['content-type'] ?? '', 'content-length': body.length };
    const options = { method, path, headers, signal, ca: this.#options.certificates.authority, agent: false } as const;
    return new Promise((resolve, reject) => {
      const forwarded = httpsRequest({
        ...options,
        host: '127.0.0.1',
        port: this.operatorPort,
        servername: 'localhost',
      });
      forwarded.once('error', reject);
      forwarded.once('response', (reply) => {
        response.writeHead(reply.statusCode ?? 502, { 'content-type': reply.headers['content-type'] ?? '' });
        reply.once('error', reject);
        reply.once('end', resolve);
        reply.pipe(response);
      });
      forwarded.end(body);
    });
  }
}

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the message for a write that cannot be reviewed. */
function downMessage(why: string): string {
  return `KW7310 the operator is down: ${why}; fix the error that kubewright dev shows and save, then retry`;
}

/** Responds with a Status: the API server shows its message and applies the `failurePolicy`. */
function reject(response: ServerResponse, message: string): void {
  if (response.headersSent || response.destroyed) return;
  const status = {
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    reason: 'ServiceUnavailable',
    code: 503,
    message,
  };
  response.writeHead(503, { 'content-type': 'application/json' });
  response.end(JSON.stringify(status));
}

async function read(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the time to wait for the operator, in milliseconds. The API server passes its timeout in the query. */
function patienceOf({ url = '/' }: IncomingMessage): number {
  const timeout = new URLSearchParams(url.split('?')[1] ?? '').get('timeout');
  try {
    return timeout === null
      ? patienceMs
      : Math.min(patienceMs, Math.max(parseDurationMs(timeout) - reserveMs, reserveMs));
  } catch {
    // An invalid duration is ignored.
    return patienceMs;
  }
}
