import { Agent, type RequestOptions, request } from 'node:https';
import type { TLSSocket } from 'node:tls';

export interface Posted {
  readonly status: number;
  readonly body: any;
  /** Common name of the server's certificate. */
  readonly answeredBy: string;
}

/** Posts JSON over TLS, on a new connection unless an agent is given. */
export function post(
  url: string,
  body: unknown,
  options: RequestOptions & { readonly contentType?: string } = {},
): Promise<Posted> {
  const { contentType = 'application/json', ...rest } = options;
  return new Promise((resolve, reject) => {
    const agent = rest.agent ?? new Agent({ keepAlive: false });
    const call = request(url, { method: 'POST', headers: { 'content-type': contentType }, ...rest, agent }, (response) => {
      const chunks: Buffer[] = [];
      const answeredBy = String((response.socket as TLSSocket).getPeerCertificate().subject?.CN);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const isJson = response.headers['content-type'] === 'application/json';
        resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text, answeredBy });
      });
    });
    call.on('error', reject);
    if (body instanceof Uint8Array || typeof body === 'string') call.end(body);
    else if (body === undefined) call.end();
    else call.end(JSON.stringify(body));
  });
}
