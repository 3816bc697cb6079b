import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { Backend } from './backend.ts';
import { identityHeaders } from './forwarded-headers.ts';

/** The response of an APIService's server to a request from this server. */
export interface BackendResponse {
  readonly status: number;
  readonly contentType: string;
  readonly etag: string | undefined;
  readonly body: Uint8Array;
}

/** Maximum size of a discovery or OpenAPI document, in bytes. */
const maxBytes = 16 * 1024 * 1024;

/** The identity of this server in its own requests to other servers. */
const aggregator: UserInfo = { username: 'system:kube-aggregator', groups: ['system:masters'] };

/**
 * Sends a request to the server behind an APIService, and reads the whole response.
 *
 * @throws Error with kube-apiserver's message
 */
export async function fetchFromBackend(
  backend: Backend,
  question: {
    readonly path: string;
    readonly accept: string;
    readonly etag?: string | undefined;
    readonly to?: { readonly host: string; readonly port: number };
    readonly withinMs: number;
    readonly clock: Clock;
  },
): Promise<BackendResponse> {
  const { path, accept, etag, to, withinMs, clock } = question;
  const late = new AbortController();
  const timer = clock.setTimer(withinMs, () => late.abort(), { unref: true });
  try {
    const headers = { accept, ...defined({ 'if-none-match': etag }), ...identityHeaders(aggregator) };
    const message = await backend.send({ method: 'GET', path, headers, signal: late.signal }, to);
    if ('stream' in message) throw new Error('the server switched protocols without a request to do so');
    return {
      status: message.statusCode ?? 0,
      contentType: message.headers['content-type'] ?? '',
      etag: message.headers.etag,
      body: await read(message),
    };
  } catch (error) {
    if (late.signal.aborted) throw new Error('context deadline exceeded', { cause: error });
    throw error;
  } finally {
    timer[Symbol.dispose]();
  }
}

async function read(message: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
