import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { trustBundle } from '@kubewright/apimachinery/internal';
import { type Dial, dialingAgent } from './dialing-agent.ts';
import { networkMessage } from './network-message.ts';
import type { WebhookCaller, WebhookRequest, WebhookResponse } from './webhook-caller.ts';

/** Options for {@link HttpsWebhookCaller}. */
export interface HttpsWebhookCallerOptions {
  /** Maximum size of a response, in bytes. @defaultValue 16 MiB */
  readonly maxResponseBytes?: number | undefined;
  /** Opens connections. @defaultValue this process's own sockets */
  readonly dial?: Dial | undefined;
}

/** Maximum number of CA bundles whose connections are kept. */
const maxAgents = 30;
const maxResponseBytes = 16 * 1024 * 1024;
/** Less than the idle timeout of Node servers (5 s), so we never reuse a connection that the server is about to close. */
const idleMs = 4_000;

/** Calls webhooks over HTTPS (HTTP/1.1, as upstream does for load balancing), with connection reuse. */
export class HttpsWebhookCaller implements WebhookCaller, Disposable {
  readonly #agents = new Map<string, Agent>();
  readonly #maxResponseBytes: number;
  readonly #dial: Dial | undefined;

  constructor(options: HttpsWebhookCallerOptions = {}) {
    this.#maxResponseBytes = options.maxResponseBytes ?? maxResponseBytes;
    this.#dial = options.dial;
  }

  call(request: WebhookRequest): Promise<WebhookResponse> {
    const { method, url, connectTo, body, signal, ca } = request;
    const { hostname, port } = connectTo ? { hostname: connectTo.host, port: connectTo.port } : addressOf(url);
    const name = unbracketed(url.hostname);
    const headers = { accept: 'application/json, */*', host: url.host, ...bodyHeaders(body) };
    return new Promise((resolve, reject) => {
      const sent = httpsRequest({
        method,
        host: unbracketed(hostname),
        port,
        path: url.pathname + url.search,
        headers,
        agent: this.#agent(ca),
        signal,
        // An IP address is also checked against the certificate, but is never sent as the server name.
        servername: isIP(name) === 0 ? name : '',
      });
      sent.on('error', (error) => reject(new Error(networkMessage(error, { hostname, port }), { cause: error })));
      sent.on('response', (response) => this.#read(response).then(resolve, reject));
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  async #read(response: IncomingMessage): Promise<WebhookResponse> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of response as AsyncIterable<Uint8Array>) {
        size += chunk.length;
        if (size > this.#maxResponseBytes) {
          throw new Error(`the response is longer than ${this.#maxResponseBytes} bytes`);
        }
        chunks.push(chunk);
      }
    } catch (error) {
      response.destroy();
      if (error instanceof Error && error.message === 'aborted') throw new Error('unexpected EOF', { cause: error });
      throw error;
    }
    const { statusCode = 0, headers } = response;
    return {
      status: statusCode,
      contentType: headers['content-type'] ?? '',
      location: headers.location,
      body: Buffer.concat(chunks),
    };
  }

  /**
   * Returns the agent for a CA bundle. Calls with the same bundle share an agent, which keeps the connections of different
   * servers apart.
   */
  #agent(ca = ''): Agent {
    let agent = this.#agents.get(ca);
    if (agent === undefined) {
      const options = {
        keepAlive: true,
        timeout: idleMs,
        ALPNProtocols: ['http/1.1'],
        // As in Go, a bundle can contain an intermediate CA, or only the webhook's own certificate.
        ...(ca !== '' && trustBundle(ca)),
      };
      agent = dialingAgent(options, this.#dial);
      const [oldest] = this.#agents.keys();
      if (this.#agents.size >= maxAgents && oldest !== undefined) {
        this.#agents.get(oldest)?.destroy();
        this.#agents.delete(oldest);
      }
    } else {
      this.#agents.delete(ca); // the last map entry is the most recently used
    }
    this.#agents.set(ca, agent);
    return agent;
  }
}

function addressOf(url: URL): { readonly hostname: string; readonly port: number } {
  return { hostname: url.hostname, port: url.port === '' ? 443 : Number(url.port) };
}

function bodyHeaders(body: Uint8Array | undefined): Readonly<Record<string, string | number>> {
  return body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
}

/** Removes the brackets around an address in a URL: `[::1]`. */
function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
