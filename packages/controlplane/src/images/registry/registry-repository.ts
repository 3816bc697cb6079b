import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Descriptor } from '../image-manifest.ts';
import { networkReason } from './network-reason.ts';
import { readLimited } from './read-limited.ts';
import { RegistryAccessError, RegistryError, rejection } from './registry-error.ts';
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
/** Maximum size of the body of an error response, in bytes. */
const maxErrorBytes = 64 * 1024;
/** A connection that is cut after it has sent this many bytes has made progress: the attempts are counted from one again. */
const progressBytes = 1024 * 1024;

/** Downloads the content of one repository and checks it. */
export class RegistryRepository {
  readonly #session: RegistrySession;
  readonly #name: string;
  readonly #retry: RetryContext;

  /** @param options - `name`: the image, for errors. */
  constructor(session: RegistrySession, { name, retry }: { readonly name: string; readonly retry: RetryContext }) {
    this.#session = session;
    this.#name = name;
    this.#retry = retry;
  }

  /** Downloads a manifest or index by tag or digest. @throws RegistryError if the download fails or the digest differs */
  async manifest(reference: string): Promise<FetchedManifest> {
    if (reference.includes(':') && !reference.startsWith('sha256:'))
      throw this.#error(`the digest ${reference} cannot be checked: only sha256 is supported`);
    const response = await this.#get(`manifests/${reference}`, { accept });
    const content = await readLimited(response, maxManifestBytes).catch((error) => this.#fail(error));
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    const promised = response.headers['docker-content-digest'];
    const expected = reference.includes(':') ? reference : promised;
    if (typeof expected === 'string' && expected.startsWith('sha256:') && expected !== digest)
      throw this.#error(`the manifest ${expected} is damaged: its digest is ${digest}`);
    return { content, digest };
  }

  /**
   * Downloads a blob. Continues where the connection was cut. The caller checks the digest.
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
      if (failures === maxAttempts) this.#fail(cut);
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
    // A registry without ranges sends everything again.
    let skipped = response.statusCode === 206 ? this.#startOf(response, from) : 0;
    let end = from;
    try {
      for await (const chunk of response as AsyncIterable<Uint8Array>) {
        const fresh = chunk.subarray(Math.min(chunk.length, from - skipped));
        skipped += chunk.length - fresh.length;
        end += fresh.length;
        if (end > size) throw this.#error(`${digest} is larger than the ${size} bytes that the manifest states`);
        onData(fresh.length);
        if (fresh.length > 0) yield fresh;
      }
    } catch (error) {
      if (error instanceof RegistryError || !isTemporary(error)) this.#fail(error);
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
    throw this.#error('it returned a different byte range of the blob than requested');
  }

  async #get(what: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
    const response = await this.#session.get(what, headers).catch((error) => this.#fail(error));
    const { statusCode = 0 } = response;
    if (statusCode === 200 || (statusCode === 206 && 'range' in headers)) return response;
    throw this.#rejected(what, { status: statusCode, details: await detailsOf(response) });
  }

  #rejected(path: string, { status, details }: { readonly status: number; readonly details: string }): RegistryError {
    const what = `cannot pull ${this.#name}`;
    if (status === 401 || status === 403) {
      return new RegistryAccessError({
        what,
        why: `the registry denies access${details}`,
        remedy: 'log in with docker login, or add a Secret to the imagePullSecrets of the pod',
      });
    }
    const missing = path.startsWith('manifests/') ? 'the registry does not have it' : `${path} is missing`;
    const why = status === 404 ? missing : `the registry responds with status ${status}`;
    return rejection(status, { what, why: `${why}${details}` });
  }

  /**
   * Throws a RegistryError for a failed connection, or the signal's reason if it is aborted. Rethrows a RegistryError unchanged.
   */
  #fail(error: unknown): never {
    this.#retry.signal.throwIfAborted();
    if (error instanceof RegistryError) throw error;
    const reason = networkReason(error);
    const isUntrusted = /certificate/i.test(reason);
    throw this.#error(reason, {
      cause: error,
      ...(isUntrusted && {
        remedy: 'pass the certificate of its authority in a file: --ca-file FILE, or SSL_CERT_FILE',
      }),
    });
  }

  #error(why: string, { remedy, cause }: { readonly remedy?: string; readonly cause?: unknown } = {}): RegistryError {
    return new RegistryError({ what: `cannot pull ${this.#name}`, why, remedy }, { cause });
  }
}

/** Returns the code and message of the registry's error, if it sends them: ` (MANIFEST_UNKNOWN: manifest unknown)`. */
async function detailsOf(response: IncomingMessage): Promise<string> {
  try {
    const { errors } = JSON.parse((await readLimited(response, maxErrorBytes)).toString('utf8')) as {
      readonly errors?: readonly { readonly code?: unknown; readonly message?: unknown }[];
    };
    const texts = (errors ?? []).map(({ code, message }) => [code, message].filter((part) => part).join(': '));
    const text = texts.join('; ').replace(/\s+/g, ' ').slice(0, 300);
    return text === '' ? '' : ` (${text})`;
  } catch {
    // The response has another format.
    response.destroy();
    return '';
  }
}
