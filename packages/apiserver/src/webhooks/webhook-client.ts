import { Buffer } from 'node:buffer';
import type { Clock } from '@kubewright/apimachinery';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import type { ReadObject } from '../admission/object-reader.ts';
import type { Storage } from '../storage/index.ts';
import { type ResolveService, serviceResolver } from './service-resolver.ts';
import { WebhookCallError } from './webhook-call-error.ts';
import type { WebhookCaller, WebhookResponse } from './webhook-caller.ts';
import { replyOf, type WebhookReply } from './webhook-reply.ts';

/** The address of a webhook (`WebhookClientConfig` of admissionregistration and apiextensions). */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string | undefined;
        /** @defaultValue 443 */
        readonly port?: number | undefined;
      }
    | undefined;
  /** Base64-encoded PEM. */
  readonly caBundle?: string | undefined;
}

/** Options for {@link WebhookClient}. */
export interface WebhookClientOptions {
  readonly caller: WebhookCaller;
  readonly resolve: ResolveService;
  readonly clock: Clock;
}

/** A review to send. */
export interface WebhookPost {
  readonly config: WebhookClientConfig;
  readonly body: object;
  /** Timeout of the call, also sent to the webhook. @defaultValue none: only `signal` ends the call */
  readonly timeoutSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const maxRedirects = 10;

/** Sends reviews to webhooks and reads the responses. Handles addresses, deadlines, redirects and status codes. */
export class WebhookClient {
  readonly #options: WebhookClientOptions;

  constructor(options: WebhookClientOptions) {
    this.#options = options;
  }

  /** Returns a client that finds the endpoints of services in the server's own storage. */
  static withServices(options: {
    readonly caller: WebhookCaller;
    readonly clock: Clock;
    readonly storage: Storage;
    readonly read: ReadObject;
  }): WebhookClient {
    const { caller, clock, storage, read } = options;
    return new WebhookClient({ caller, clock, resolve: serviceResolver({ storage, read }) });
  }

  /**
   * Posts a review.
   *
   * @throws WebhookCallError
   */
  async post(post: WebhookPost): Promise<WebhookReply> {
    const { timeoutSeconds, signal } = post;
    const url = urlOf(post);
    const late = new AbortController();
    const timer =
      timeoutSeconds === undefined
        ? undefined
        : this.#options.clock.setTimer(timeoutSeconds * 1000, () => late.abort(new Error('the webhook timed out')));
    try {
      return replyOf(
        await this.#follow(url, { post, signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal }),
      );
    } catch (error) {
      if (error instanceof WebhookCallError) throw error;
      const why = late.signal.aborted ? 'context deadline exceeded' : signal?.aborted ? 'context canceled' : undefined;
      const message = why ?? (error instanceof Error ? error.message : String(error));
      throw new WebhookCallError(`Post ${JSON.stringify(shown(url, error))}: ${message}`, { cause: error });
    } finally {
      timer?.[Symbol.dispose]();
    }
  }

  async #follow(
    start: URL,
    { post, signal }: { readonly post: WebhookPost; readonly signal: AbortSignal },
  ): Promise<WebhookResponse> {
    const { caller } = this.#options;
    const { config } = post;
    const ca = config.caBundle ? Buffer.from(config.caBundle, 'base64').toString('utf8').trim() : undefined;
    const body = Buffer.from(stringifyJson(post.body));
    let url = start;
    let method: 'POST' | 'GET' = 'POST';
    for (let redirects = 0; ; redirects++) {
      const connectTo = await this.#endpoint(url, config);
      const sent = { method, url, connectTo, ca, signal, ...(method === 'POST' && { body }) };
      const response = await raced(caller.call(sent), signal);
      const { status, location } = response;
      if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return response;
      if (redirects + 1 >= maxRedirects) throw new RedirectError(location);
      url = new URL(location, url);
      // A webhook must not be able to redirect the server to plain HTTP.
      if (url.protocol !== 'https:') throw new RedirectError(location, 'the redirect does not use https');
      if (status < 307) method = 'GET';
    }
  }

  /** Resolves a service to one of its endpoints from cluster state, because the service's name is not in DNS. */
  async #endpoint(url: URL, { service }: WebhookClientConfig) {
    if (service === undefined || url.host !== serviceUrl(service).host) return undefined;
    return this.#options.resolve({ ...service, port: service.port ?? 443 });
  }
}

class RedirectError extends Error {
  readonly location: string;

  constructor(location: string, message = `stopped after ${maxRedirects} redirects`) {
    super(message);
    this.location = location;
  }
}

function urlOf({ config, timeoutSeconds }: WebhookPost): URL {
  const { url, service } = config;
  let made: URL;
  try {
    made = service ? serviceUrl(service) : new URL(url ?? '');
  } catch (cause) {
    throw new WebhookCallError(`Unparsable URL: ${url}`, { cause });
  }
  if (timeoutSeconds !== undefined) made.searchParams.set('timeout', `${timeoutSeconds}s`);
  return made;
}

function serviceUrl(service: NonNullable<WebhookClientConfig['service']>): URL {
  const { name, namespace, path = '/', port = 443 } = service;
  const made = new URL(`https://${name}.${namespace}.svc:${port}`);
  made.pathname = path;
  return made;
}

/** Formats a URL like Go: adds the port to a service's URL; shows a rejected redirect's location unchanged. */
function shown(url: URL, error: unknown): string {
  if (error instanceof RedirectError) return error.location;
  const isService = url.hostname.endsWith('.svc') && url.port === '';
  return isService ? url.href.replace(url.host, `${url.host}:443`) : url.href;
}

/** Rejects on abort, so that a caller that ignores its signal does not block the request. */
function raced<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    call.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
