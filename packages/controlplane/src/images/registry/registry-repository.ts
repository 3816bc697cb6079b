import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Descriptor } from '../image-manifest.ts';
import { readLimited } from './read-limited.ts';
import { RegistryError } from './registry-error.ts';
import { RegistryFailures } from './registry-failures.ts';
import type { RegistrySession } from './registry-session.ts';
import { isTemporary, maxAttempts, pause, type RetryContext } from './retry.ts';

/** A manifest or index, as stored in the registry. */
export interface FetchedManifest {
  readonly content: Buffer;
  readonly digest: string;
}

const accept = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
/** Maximum size of a manifest, in bytes, as in containerd and most registries. */
const maxManifestBytes = 4 * 1024 * 1024;
/** Number of received bytes that count as progress. Progress resets the number of failed attempts. */
const progressBytes = 1024 * 1024;

/** Downloads the content of one repository and checks it. */
export class RegistryRepository {
  readonly #session: RegistrySession;
  readonly #failures: RegistryFailures;
  readonly #retry: RetryContext;

  /** @param options - `name`: the image, for errors. */
  constructor(session: RegistrySession, { name, retry }: { readonly name: string; readonly retry: RetryContext }) {
    this.#session = session;
    this.#failures = new RegistryFailures({ action: 'pull', name, signal: retry.signal });
    this.#retry = retry;
  }

  /** Downloads a manifest or index by tag or digest. @throws RegistryError if the download fails or the digest differs */
  async manifest(reference: string): Promise<FetchedManifest> {
    if (reference.includes(':') && !reference.startsWith('sha256:'))
      throw this.#failures.error(`the digest ${reference} cannot be checked: only sha256 is supported`);
    const response = await this.#get(`manifests/${reference}`, { accept });
    const content = await readLimited(response, maxManifestBytes).catch((error) => this.#failures.fail(error));
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    const promised = response.headers['docker-content-digest'];
    const expected = reference.includes(':') ? reference : promised;
    if (typeof expected === 'string' && expected.startsWith('sha256:') && expected !== digest)
      throw this.#failures.error(`the manifest ${expected} is damaged: its digest is ${digest}`);
    return { content, digest };
  }

  /**
   * Downloads a blob, and resumes after the connection is cut. The caller checks the digest.
   *
   * @throws RegistryError if the download fails, or if the blob is larger than its descriptor says.
   */
  async *blob({ digest, size }: Descriptor): AsyncGenerator<Uint8Array, void> {
    let received = 0;
    let failures = 0;
    while (received < size) {
      const before = received;
      const cut = yield* this.#rest(digest, { from: received, size, onData: (bytes) => (received += bytes) });
      if (received === size) return;
      failures = received - before >= progressBytes ? 1 : failures + 1;
      if (failures === maxAttempts) this.#failures.fail(cut);
      await pause(failures - 1, this.#retry);
    }
  }

  /** Yields the rest of a blob until its end or until the connection is cut; returns the reason. */
  async *#rest(
    digest: string,
    options: { readonly from: number; readonly size: number; readonly onData: (bytes: number) => void },
  ): AsyncGenerator<Uint8Array, unknown> {
    const { from, size, onData } = options;
    const response = await this.#get(`blobs/${digest}`, from === 0 ? {} : { range: `bytes=${from}-` });
    // A registry that does not support range requests sends the whole blob again.
    let skipped = response.statusCode === 206 ? this.#startOf(response, from) : 0;
    let end = from;
    try {
      for await (const chunk of response as AsyncIterable<Uint8Array>) {
        const fresh = chunk.subarray(Math.min(chunk.length, from - skipped));
        skipped += chunk.length - fresh.length;
        end += fresh.length;
        if (end > size)
          throw this.#failures.error(`${digest} is larger than the ${size} bytes that the manifest states`);
        onData(fresh.length);
        if (fresh.length > 0) yield fresh;
      }
    } catch (error) {
      if (error instanceof RegistryError || !isTemporary(error)) this.#failures.fail(error);
      this.#retry.signal.throwIfAborted();
      return error;
    } finally {
      response.destroy();
    }
    return new Error(`the response ended after ${end} of ${size} bytes`);
  }

  #startOf({ headers }: IncomingMessage, from: number): number {
    const start = /^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1];
    if (Number(start) === from) return from;
    throw this.#failures.error('the registry returned a different byte range of the blob than requested');
  }

  async #get(what: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
    const response = await this.#session.get(what, headers).catch((error) => this.#failures.fail(error));
    const { statusCode = 0 } = response;
    if (statusCode === 200 || (statusCode === 206 && 'range' in headers)) return response;
    throw await this.#failures.rejected(what, response);
  }
}
