import type { IncomingMessage } from 'node:http';

/** Why a body was not read. */
export type Unread = 'too large' | 'too many';

/**
 * Reads requests' bodies, each up to a limit, and all that are held at a time up to another: whoever can reach the server
 * could fill the memory with a few large ones otherwise.
 */
export class BodyReader {
  readonly #maxTotal: number;
  #held = 0;

  /** @param maxTotalBytes - most bytes of bodies that are being read or answered. */
  constructor(maxTotalBytes: number) {
    this.#maxTotal = maxTotalBytes;
  }

  /**
   * Reads a body and hands it to `use`; its bytes count until that has ended. What is refused is not read on.
   *
   * @throws Error when the caller goes away.
   */
  async read<T>(
    request: IncomingMessage,
    options: { readonly maxBytes: number; readonly use: (body: Uint8Array) => Promise<T> },
  ): Promise<T | Unread> {
    const held = { bytes: 0 };
    try {
      const body = await this.#collect(request, { held, maxBytes: options.maxBytes });
      return typeof body === 'string' ? body : await options.use(body);
    } finally {
      this.#held -= held.bytes;
    }
  }

  #collect(
    request: IncomingMessage,
    { held, maxBytes }: { readonly held: { bytes: number }; readonly maxBytes: number },
  ): Promise<Uint8Array | Unread> {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too large');
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      const refuse = (why: Unread): void => {
        request.removeAllListeners('data').pause();
        resolve(why);
      };
      request.on('data', (chunk: Uint8Array) => {
        held.bytes += chunk.length;
        this.#held += chunk.length;
        if (held.bytes > maxBytes) refuse('too large');
        else if (this.#held > this.#maxTotal) refuse('too many');
        else chunks.push(chunk);
      });
      request.on('end', () => resolve(Buffer.concat(chunks)));
      request.on('error', reject);
      request.on('close', () => reject(new Error('the caller went away')));
    });
  }
}
