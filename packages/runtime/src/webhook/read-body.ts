import type { IncomingMessage } from 'node:http';

/** The reason why a body was not read. */
export type Unread = 'too large' | 'too many';

/**
 * Reads request bodies, limiting the size of each body and the total size held at a time. Otherwise, any client that
 * can reach the server could fill the memory with a few large bodies.
 */
export class BodyReader {
  readonly #maxTotal: number;
  #held = 0;

  /** @param maxTotalBytes - maximum total bytes of bodies being read or processed. */
  constructor(maxTotalBytes: number) {
    this.#maxTotal = maxTotalBytes;
  }

  /**
   * Reads a body and passes it to `use`. Its bytes count towards the limit until `use` has finished. Stops reading if the body is
   * rejected.
   * @throws Error if the caller disconnects.
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
      request.on('close', () => reject(new Error('the caller closed the connection')));
    });
  }
}
