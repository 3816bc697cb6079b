import { Buffer } from 'node:buffer';
import { stringifyJson } from '@kubewright/apimachinery/internal';
import type { ApiHandler, ApiResponse } from './http/index.ts';

/** The server's response to its own request. */
export interface OwnReply {
  readonly status: number;
  readonly text: string;
}

/** A request that the server sends to itself. */
export interface OwnRequest {
  readonly body?: unknown;
  /** @defaultValue application/json */
  readonly contentType?: string;
}

/**
 * Returns a function that sends requests under the server's own identity, so that the objects it creates pass admission and
 * validation like all others.
 */
export function asServer(
  handle: ApiHandler,
): (method: string, path: string, request?: OwnRequest) => Promise<OwnReply> {
  return async (method, path, { body, contentType = 'application/json' } = {}) => {
    const response = await handle({
      method,
      path,
      headers: { 'content-type': contentType, accept: 'application/json', 'user-agent': 'kube-apiserver' },
      body: body === undefined ? undefined : Buffer.from(stringifyJson(body)),
      signal: new AbortController().signal,
      connection: {
        remoteAddress: '127.0.0.1',
        protocol: 'in-process',
        clientCertificate: { commonName: 'system:apiserver', organizations: ['system:masters'] },
      },
    });
    return { status: response.status, text: await textOf(response) };
  };
}

async function textOf({ body }: ApiResponse): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
