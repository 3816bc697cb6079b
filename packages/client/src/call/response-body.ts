import { parseExactJson } from '@kubewright/apimachinery/internal';
import type { TransportResponse } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';

/** Reads a body to its end. */
async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const only = chunks.length === 1 ? chunks[0] : undefined;
  return only ? Buffer.from(only.buffer, only.byteOffset, only.byteLength) : Buffer.concat(chunks);
}

/**
 * Reads at most `limit` bytes of a body and discards the rest; used for responses that are only quoted in a message.
 */
export async function readBytesUpTo(body: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit);
}

/**
 * Parses a body as JSON, with integers beyond 2^53 as bigints.
 * @throws TransportError `KW2006` if the body is not JSON; the message names the call, never the content.
 */
export async function readJson(response: TransportResponse, what: string): Promise<unknown> {
  const bytes = await readBytes(response.body);
  try {
    return parseExactJson(bytes.toString('utf8'));
  } catch (cause) {
    const type = response.headers['content-type'] ?? 'no content type';
    throw new TransportError(
      'KW2006',
      {
        what: `${what} failed`,
        why: `the response (${type}, ${bytes.byteLength} bytes) is not JSON`,
        remedy: 'check that the address belongs to a Kubernetes API server',
      },
      { cause },
    );
  }
}
