import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { ArchiveError } from './archive-error.ts';
import { patientAttempts, type S3Client } from './s3-client.ts';

/** A download fails after this many interruptions without any data in between. */
const maxInterruptions = 5;

/**
 * Returns the content of a file in a bucket. If the connection breaks, the download resumes after the last received byte: a base
 * backup takes hours, and would otherwise start over.
 *
 * @param first - the response to the request for the whole file
 */
export function resumedDownload(
  client: S3Client,
  { name, first, signal }: { readonly name: string; readonly first: IncomingMessage; readonly signal: AbortSignal },
): Readable {
  return Readable.from(pieces(client, { name, first, signal }), { objectMode: false });
}

async function* pieces(
  client: S3Client,
  { name, first, signal }: { readonly name: string; readonly first: IncomingMessage; readonly signal: AbortSignal },
): AsyncGenerator<Buffer, void> {
  const size = Number(first.headers['content-length'] ?? Number.NaN);
  const { etag } = first.headers;
  let received = 0;
  let interruptions = 0;
  for (let response = first; ; ) {
    let failure: unknown = new Error(`the connection ended after ${received} of ${size} bytes`);
    try {
      for await (const chunk of response) {
        // Chunks are buffers: no encoding is set.
        received += (chunk as Buffer).length;
        interruptions = 0;
        yield chunk as Buffer;
      }
      if (received >= size || Number.isNaN(size)) return;
    } catch (error) {
      failure = error;
    } finally {
      // Also runs when the consumer stops early.
      response.destroy();
    }
    signal.throwIfAborted();
    interruptions++;
    if (interruptions >= maxInterruptions || Number.isNaN(size)) throw failure;
    response = await rest(client, { name, etag, received, signal });
  }
}

/** Requests the remaining bytes. */
async function rest(
  client: S3Client,
  {
    name,
    etag,
    received,
    signal,
  }: {
    readonly name: string;
    readonly etag: string | undefined;
    readonly received: number;
    readonly signal: AbortSignal;
  },
): Promise<IncomingMessage> {
  const headers = { range: `bytes=${received}-`, ...(etag !== undefined && { 'if-match': etag }) };
  const accept = [206, 404, 412];
  const attempts = patientAttempts;
  const response = await client.send({ method: 'GET', key: name, headers, signal, accept, attempts });
  if (response.statusCode === 206) return response;
  response.resume();
  throw new ArchiveError('Unavailable', `${name} was replaced or deleted during the download`);
}
