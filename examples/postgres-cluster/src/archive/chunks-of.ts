import type { Readable } from 'node:stream';

/** Splits a stream into chunks. `bytes` returns the size of each chunk by its index; only the last chunk may be smaller. */
export async function* chunksOf(
  content: Readable,
  { bytes, signal }: { readonly bytes: (index: number) => number; readonly signal: AbortSignal },
): AsyncGenerator<Buffer, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  let index = 0;
  for await (const data of content) {
    signal.throwIfAborted();
    let rest = Buffer.isBuffer(data) ? data : Buffer.from(data as string);
    while (length + rest.length >= bytes(index)) {
      const fitting = bytes(index) - length;
      yield Buffer.concat([...parts, rest.subarray(0, fitting)]);
      rest = rest.subarray(fitting);
      parts = [];
      length = 0;
      index++;
    }
    if (rest.length > 0) parts.push(rest);
    length += rest.length;
  }
  signal.throwIfAborted();
  if (length > 0) yield Buffer.concat(parts);
  return undefined;
}
