import type { IncomingMessage } from 'node:http';
import { networkReason } from './network-reason.ts';
import { readLimited } from './read-limited.ts';
import { accessRemedy, RegistryAccessError, RegistryError, rejection } from './registry-error.ts';

/** Maximum size of the body of an error response, in bytes. */
const maxErrorBytes = 64 * 1024;

/** Builds the errors of pulling or pushing one image. */
export class RegistryFailures {
  readonly #what: string;
  readonly #isPush: boolean;
  readonly #signal: AbortSignal;

  constructor(options: { readonly action: 'pull' | 'push'; readonly name: string; readonly signal: AbortSignal }) {
    this.#what = `cannot ${options.action} ${options.name}`;
    this.#isPush = options.action === 'push';
    this.#signal = options.signal;
  }

  error(why: string, { remedy, cause }: { readonly remedy?: string; readonly cause?: unknown } = {}): RegistryError {
    return new RegistryError({ what: this.#what, why, remedy }, { cause });
  }

  /** Returns the error of a response with an unexpected status. `path`: the path of the request, below the repository. */
  async rejected(path: string, response: IncomingMessage): Promise<RegistryError> {
    const { statusCode: status = 0 } = response;
    const details = await detailsOf(response);
    const what = this.#what;
    if (status === 401 || status === 403) {
      const remedy = accessRemedy({ isPush: this.#isPush });
      return new RegistryAccessError({ what, why: `the registry denies access${details}`, remedy });
    }
    if (status === 429) {
      const why = `the registry's rate limit is exceeded (status 429)${details}`;
      return rejection(status, {
        what,
        why,
        remedy: 'try again later, or log in with docker login for a higher limit',
      });
    }
    const why = status === 404 ? this.#missing(path) : `the registry responded with status ${status}`;
    return rejection(status, { what, why: `${why}${details}` });
  }

  /**
   * Throws a RegistryError for a failed connection, or the signal's reason if it is aborted. Rethrows a RegistryError unchanged.
   */
  fail(error: unknown): never {
    this.#signal.throwIfAborted();
    if (error instanceof RegistryError) throw error;
    const reason = networkReason(error);
    const isUntrusted = /certificate/i.test(reason);
    throw this.error(reason, {
      cause: error,
      ...(isUntrusted && {
        remedy: "pass the registry's CA certificate with --ca-file FILE, or in SSL_CERT_FILE",
      }),
    });
  }

  #missing(path: string): string {
    if (this.#isPush) return 'the repository does not exist, and the registry does not create repositories on push';
    return path.startsWith('manifests/')
      ? 'the registry does not have this image'
      : `the registry does not have ${path}`;
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
