import type { ApiRequest } from '../http/api-request.ts';
import { requestEntityTooLarge } from '../http/failures.ts';

const nothing = new Uint8Array(0);

/**
 * Reads a request's whole body, at most `limit` bytes.
 *
 * @throws StatusError 413 when the body is longer
 */
export function readRequestBody(request: ApiRequest, limit: number): Uint8Array | Promise<Uint8Array> {
  const { body } = request;
  if (body === undefined) return nothing;
  if (body instanceof Uint8Array) {
    if (body.length > limit) throw tooLarge(limit);
    return body;
  }
  return collect(body, limit);
}

async function collect(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length);
}

function tooLarge(limit: number): Error {
  return requestEntityTooLarge(`limit is ${limit}`);
}
