import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type ArchivedFile, type ArchiveStore, checkName } from './archive-store.ts';
import { chunksOf } from './chunks-of.ts';
import { deleteInterruptedUploads } from './interrupted-uploads.ts';
import { partBytes } from './part-bytes.ts';
import { resumedDownload } from './resumed-download.ts';
import { type S3Bucket, S3Client, type S3ClientOptions } from './s3-client.ts';
import { storeInParts } from './store-in-parts.ts';
import { elementsOf, textOf } from './xml.ts';

/**
 * Stores an archive in a bucket of Amazon S3 or a compatible service. The service must support conditional writes
 * (`If-None-Match`), as Amazon S3 does since 2024.
 */
export class S3Store implements ArchiveStore {
  readonly #client: S3Client;
  readonly #pageSize: number;

  constructor(bucket: S3Bucket, options: S3ClientOptions & { readonly pageSize?: number } = {}) {
    this.#client = new S3Client(bucket, options);
    this.#pageSize = options.pageSize ?? 1000;
  }

  async put(name: string, content: Readable, { signal }: { readonly signal: AbortSignal }): Promise<boolean> {
    checkName(name);
    try {
      // Checked first for services that ignore `If-None-Match`. The header below is still needed against concurrent writers.
      const found = await this.#client.send({ method: 'HEAD', key: name, signal, accept: [200, 404] });
      found.resume();
      if (found.statusCode === 200) return false;
      const chunks = chunksOf(content, { bytes: partBytes, signal });
      const first = await chunks.next();
      const body = first.done ? Buffer.alloc(0) : first.value;
      if (body.length === partBytes(0))
        return await storeInParts(this.#client, { name, first: body, rest: chunks, signal });
      const headers = { 'if-none-match': '*' };
      const response = await this.#client.send({
        method: 'PUT',
        key: name,
        headers,
        body,
        signal,
        accept: [200, 412],
      });
      response.resume();
      return response.statusCode === 200;
    } finally {
      content.destroy();
    }
  }

  async get(name: string, { signal }: { readonly signal: AbortSignal }): Promise<Readable | undefined> {
    checkName(name);
    const response = await this.#client.send({ method: 'GET', key: name, signal, accept: [200, 404] });
    if (response.statusCode === 200) return resumedDownload(this.#client, { name, first: response, signal });
    await this.#checkBucket(response, signal);
    return undefined;
  }

  async *list(prefix: string, { signal }: { readonly signal: AbortSignal }): AsyncIterable<ArchivedFile> {
    for (let token: string | undefined; ; ) {
      const query = { ...this.#page, prefix, ...(token !== undefined && { 'continuation-token': token }) };
      const response = await this.#client.send({ method: 'GET', key: '', query, signal, accept: [200] });
      const page = await text(response);
      for (const entry of elementsOf(page, 'Contents')) {
        yield { name: textOf(entry, 'Key'), sizeBytes: Number(textOf(entry, 'Size')) };
      }
      if (textOf(page, 'IsTruncated') !== 'true') return;
      token = textOf(page, 'NextContinuationToken');
    }
  }

  async delete(name: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    checkName(name);
    // Some services respond 404 if the file does not exist.
    const response = await this.#client.send({ method: 'DELETE', key: name, signal, accept: [200, 204, 404] });
    await this.#checkBucket(response, signal);
  }

  async deleteInterrupted(
    prefix: string,
    options: { readonly before: Date; readonly signal: AbortSignal },
  ): Promise<void> {
    await deleteInterruptedUploads(this.#client, { ...options, prefix });
  }

  get #page(): Record<string, string> {
    return { 'list-type': '2', 'max-keys': String(this.#pageSize) };
  }

  /** Throws the service's error if the bucket is missing, which would look like an empty archive. */
  async #checkBucket(answer: IncomingMessage, signal: AbortSignal): Promise<void> {
    if (textOf(await text(answer), 'Code') !== 'NoSuchBucket') return;
    const response = await this.#client.send({
      method: 'GET',
      key: '',
      query: this.#page,
      signal,
      accept: [200],
    });
    response.resume();
  }
}
