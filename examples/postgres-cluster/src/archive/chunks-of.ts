import type { Readable } from 'node:stream';

/** Splits a stream into chunks of one size. Only the last one is smaller. */
export async function* chunksOf(
  content: Readable,
  { bytes, signal }: { readonly bytes: number; readonly signal: AbortSignal },
): AsyncGenerator<Buffer, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const data of content) {
    signal.throwIfAborted();
    let rest = Buffer.isBuffer(data) ? data : Buffer.from(data as string);
    while (length + rest.length >= bytes) {
      const fitting = bytes - length;
      yield Buffer.concat([...parts, rest.subarray(0, fitting)]);
      rest = rest.subarray(fitting);
      parts = [];
      length = 0;
    }
    if (rest.length > 0) parts.push(rest);
    length += rest.length;
  }
  signal.throwIfAborted();
  if (length > 0) yield Buffer.concat(parts);
  return undefined;
}
