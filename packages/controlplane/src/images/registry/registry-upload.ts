import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Descriptor } from '../image-manifest.ts';
import { networkReason } from './network-reason.ts';
import { RegistryError } from './registry-error.ts';
import { RegistryFailures } from './registry-failures.ts';
import { discard, type RegistryRequest, type RegistrySession } from './registry-session.ts';
import { isTemporary, maxAttempts, pause, type RetryContext } from './retry.ts';

/** Path at which uploads begin. */
const uploads = 'blobs/uploads/';

/** Uploads content to one repository (OCI distribution specification 1.1). */
export class RegistryUpload {
  readonly #session: RegistrySession;
  readonly #failures: RegistryFailures;
  readonly #retry: RetryContext;

  /** @param options - `name`: the image, for errors. */
  constructor(session: RegistrySession, { name, retry }: { readonly name: string; readonly retry: RetryContext }) {
    this.#session = session;
    this.#failures = new RegistryFailures({ action: 'push', name, signal: retry.signal });
    this.#retry = retry;
  }

  /**
   * Uploads a blob, unless the repository has it or can mount it from another repository of the registry. Starts over
   * if the connection is cut.
   *
   * @param options - `file`: returns the path of the blob's content; called only if the blob must be uploaded.
   *   `mountFrom`: a repository of the same registry that may have the blob: `library/node`.
   * @throws RegistryError if the upload fails.
   */
  async blob(
    { digest, size }: Descriptor,
    { file, mountFrom }: { readonly file: () => Promise<string>; readonly mountFrom?: string | undefined },
  ): Promise<'present' | 'mounted' | 'uploaded'> {
    if (await this.#has(digest)) return 'present';
    const query = mountFrom === undefined ? '' : `?${new URLSearchParams({ mount: digest, from: mountFrom })}`;
    let upload = await this.#begin(query);
    if (upload === undefined) return 'mounted';
    const body = { path: await file(), size };
    for (let failures = 0; ; failures++) {
      if (failures > 0) {
        await pause(failures - 1, this.#retry);
        upload = await this.#begin('');
        if (upload === undefined) throw this.#failures.error('the registry does not accept uploads');
      }
      const cut = await this.#put(upload, { digest, body });
      if (cut === undefined) return 'uploaded';
      if (failures === maxAttempts - 1) this.#failures.fail(cut);
    }
  }

  /** Uploads a manifest or index under a tag or its digest. @throws RegistryError if the upload fails */
  async manifest(
    reference: string,
    { content, type }: { readonly content: Buffer; readonly type: string },
  ): Promise<void> {
    const target = `manifests/${reference}`;
    const headers = { 'content-type': type, 'content-length': String(content.length) };
    const response = await this.#send({ method: 'PUT', target, headers, body: content });
    if (response.statusCode !== 201) throw await this.#failures.rejected(target, response);
    discard(response);
  }

  async #has(digest: string): Promise<boolean> {
    const target = `blobs/${digest}`;
    const response = await this.#send({ method: 'HEAD', target });
    const { statusCode } = response;
    if (statusCode !== 200 && statusCode !== 404) throw await this.#failures.rejected(target, response);
    discard(response);
    return statusCode === 200;
  }

  /** Begins an upload and returns its URL; undefined if the blob was mounted instead. */
  async #begin(query: string): Promise<URL | undefined> {
    const response = await this.#send({
      method: 'POST',
      target: `${uploads}${query}`,
      headers: { 'content-length': '0' },
    });
    const { statusCode } = response;
    const isMounted = statusCode === 201 && query !== '';
    if (statusCode !== 202 && !isMounted) throw await this.#failures.rejected(uploads, response);
    discard(response);
    return isMounted ? undefined : this.#session.locationOf(response, uploads);
  }

  /** Uploads the content in one request. Returns the reason if another attempt may succeed. */
  async #put(
    upload: URL,
    { digest, body }: { readonly digest: string; readonly body: { readonly path: string; readonly size: number } },
  ): Promise<unknown> {
    const target = new URL(upload);
    target.searchParams.set('digest', digest);
    const headers = { 'content-type': 'application/octet-stream' };
    let response: IncomingMessage;
    try {
      response = await this.#session.sendOnce({ method: 'PUT', target, headers, body });
    } catch (error) {
      if (error instanceof RegistryError || !isTemporary(error)) this.#failures.fail(error);
      this.#retry.signal.throwIfAborted();
      return new Error(`the connection was lost during an upload: ${networkReason(error)}`, { cause: error });
    }
    const { statusCode = 0 } = response;
    if (statusCode === 201) {
      discard(response);
      return undefined;
    }
    const rejected = await this.#failures.rejected(`blobs/${digest}`, response);
    if (statusCode === 429 || statusCode >= 500) return rejected;
    throw rejected;
  }

  #send(request: RegistryRequest): Promise<IncomingMessage> {
    return this.#session.send(request).catch((error) => this.#failures.fail(error));
  }
}
