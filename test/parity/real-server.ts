import { requestSender } from '../../scripts/send-requests.mjs';
import type { ParityServer } from './parity-target.ts';
import type { OpenApiDocument } from './schema-fields.ts';

/** Sends requests to a real API server as an administrator. */
export class RealServer implements ParityServer, Disposable {
  readonly today: string = new Date().toISOString().slice(0, 10);
  readonly #ask: ReturnType<typeof requestSender>;

  constructor(options: { readonly url: string; readonly token: string }) {
    this.#ask = requestSender(options.url, options.token, { userAgent: 'parity' });
  }

  readonly send: ParityServer['send'] = async ({ method, path, type, accept, body }) => {
    const { status, headers, text } = await this.#ask(method, path, body, {
      ...(accept !== undefined && { accept }),
      ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
    });
    return { status, warning: headers['warning'], text };
  };

  /** Returns the OpenAPI documents of group versions, such as `apps/v1`. */
  async openApi(versions: readonly string[]): Promise<ReadonlyMap<string, OpenApiDocument>> {
    const documents = new Map<string, OpenApiDocument>();
    for (const version of new Set(versions)) {
      const path = `/openapi/v3/${version.includes('/') ? 'apis' : 'api'}/${version}`;
      documents.set(version, (await this.#ask('GET', path)).body as OpenApiDocument);
    }
    return documents;
  }

  [Symbol.dispose](): void {
    this.#ask.close();
  }
}
