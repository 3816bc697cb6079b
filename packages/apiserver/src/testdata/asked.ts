import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { apiServer, type ExtensionServer } from '../extension/extension-server.ts';
import type { ExtensionServerOptions } from '../extension/extension-server-options.ts';
import type { ApiRequest } from '../http/api-request.ts';
import type { Json } from './test-server.ts';
import { reportDefinition, Well, wellDefinition } from './wells.ts';

/** A server without a socket, with shorthands for requests as an administrator. */
export class Asked implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock(Date.UTC(2026, 0, 2));
  readonly server: ExtensionServer;

  constructor(options: Partial<ExtensionServerOptions> = {}) {
    this.server = apiServer({
      kinds: [Well],
      definitions: { kinds: [wellDefinition, reportDefinition] },
      clock: this.clock,
      random: seededRandom(1),
      ...options,
    });
  }

  request(method: string, path: string, parts: Partial<ApiRequest> & { readonly json?: unknown } = {}): ApiRequest {
    const { json, headers = {}, ...rest } = parts;
    return {
      method,
      path,
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: json === undefined ? undefined : Buffer.from(JSON.stringify(json)),
      signal: new AbortController().signal,
      connection: {
        remoteAddress: '127.0.0.1',
        protocol: 'in-process',
        clientCertificate: { commonName: 'admin', organizations: ['system:masters'] },
      },
      ...rest,
    };
  }

  async send(...args: Parameters<Asked['request']>): Promise<{ readonly status: number; readonly json: Json }> {
    const { status, body, headers } = await this.server.handle(this.request(...args));
    const text = Buffer.from(body as Uint8Array).toString();
    return { status, json: String(headers['content-type']).includes('json') ? JSON.parse(text) : text };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}
