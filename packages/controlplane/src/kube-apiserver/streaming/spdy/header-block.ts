import { Buffer } from 'node:buffer';
import type { Transform } from 'node:stream';
import { constants, createDeflate, createInflate } from 'node:zlib';
import { headerDictionary } from './header-dictionary.ts';
import { SpdyError } from './spdy-error.ts';

/** Headers by lower-case name. */
export type SpdyHeaders = ReadonlyMap<string, string>;

/** Maximum size of a decompressed block. Real blocks hold a stream's type, port and request ID: a few hundred bytes. */
const maxPlainBytes = 64 * 1024;
const maxPairs = 100;

/**
 * Compresses and decompresses the header blocks of one connection. zlib keeps its state from block to block, so the
 * order of blocks matters.
 */
export class HeaderBlocks implements Disposable {
  readonly #inflate: Transform;
  readonly #deflate: Transform;

  constructor() {
    const dictionary = headerDictionary();
    this.#inflate = createInflate({ dictionary, finishFlush: constants.Z_SYNC_FLUSH });
    this.#deflate = createDeflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  }

  /**
   * Decompresses and parses a block. Must not be called concurrently. @throws {@link SpdyError} if the block is invalid or too
   * large.
   */
  async read(block: Uint8Array): Promise<SpdyHeaders> {
    return parse(await through(this.#inflate, block));
  }

  /** Formats and compresses a block. Must not be called concurrently. */
  write(headers: SpdyHeaders): Promise<Buffer> {
    return through(this.#deflate, format(headers));
  }

  [Symbol.dispose](): void {
    this.#inflate.destroy();
    this.#deflate.destroy();
  }
}

/** Writes bytes to a zlib stream and returns the resulting output. */
function through(stream: Transform, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (settle: () => void): void => {
      stream.off('data', take).off('error', fail).off('close', fail);
      settle();
    };
    const fail = (cause?: unknown): void =>
      done(() => reject(new SpdyError('cannot decompress a header block', { cause })));
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxPlainBytes) {
        done(() => reject(new SpdyError(`a header block has more than ${maxPlainBytes} bytes`)));
        // Stop now, because a few bytes can expand to gigabytes.
        stream.on('error', () => undefined).destroy();
      }
    };
    stream.on('data', take).on('error', fail).on('close', fail);
    stream.write(bytes, (error) => {
      if (!error) done(() => resolve(Buffer.concat(chunks)));
    });
  });
}

function parse(block: Buffer): SpdyHeaders {
  const headers = new Map<string, string>();
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new SpdyError('a header block is truncated');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > block.length) throw new SpdyError('a header block is truncated');
    at += length;
    return block.toString('utf8', at - length, at);
  };
  const pairs = number();
  if (pairs > maxPairs) throw new SpdyError(`a header block has more than ${maxPairs} names`);
  for (let i = 0; i < pairs; i++) {
    const name = text().toLowerCase();
    // Zero bytes separate several values of one name; only the first is used.
    headers.set(name, text().split('\0')[0] ?? '');
  }
  return headers;
}

function format(headers: SpdyHeaders): Buffer {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const text = (value: string): readonly Buffer[] => {
    const bytes = Buffer.from(value, 'utf8');
    return [number(bytes.length), bytes];
  };
  const pairs = [...headers].flatMap(([name, value]) => [...text(name), ...text(value)]);
  return Buffer.concat([number(headers.size), ...pairs]);
}
