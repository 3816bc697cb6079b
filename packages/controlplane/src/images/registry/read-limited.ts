import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** Reads a response's body. @throws if it has more than `maxBytes` */
export async function readLimited(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
