import { ArchiveError } from '../archive/archive-error.ts';
import { ByteReader } from './byte-reader.ts';

/** One file or folder in a tar archive. Read its content before the next entry. */
export interface TarEntry {
  /** Path without a trailing slash. */
  readonly path: string;
  readonly type: 'file' | 'folder';
  readonly mode: number;
  readonly sizeBytes: number;
  readonly content: AsyncIterable<Buffer>;
}

const blockBytes = 512;

/**
 * Reads a tar archive as `pg_basebackup` writes it: files and folders only, with names of at most 255 bytes.
 *
 * @throws ArchiveError with the reason `Corrupted` if it is damaged
 */
export async function* readTar(content: AsyncIterable<Buffer>, name: string): AsyncGenerator<TarEntry, undefined> {
  const corrupted = (why: string) => new ArchiveError('Corrupted', `${name} is damaged: ${why}`);
  const reader = new ByteReader(content, () => corrupted('the archive is truncated'));
  for (;;) {
    const header = await reader.read(blockBytes);
    if (header.every((byte) => byte === 0)) break;
    if (Number.parseInt(textIn(header, 148, 8), 8) !== checksum(header))
      throw corrupted('a header has a wrong checksum');
    const type = typeOf(header);
    const path = pathOf(header);
    if (type === undefined) throw corrupted(`the entry ${path} has an unknown type`);
    if (path.split('/').some((part) => part === '..' || part === '')) throw corrupted(`the path ${path} is invalid`);
    const sizeBytes = sizeOf(header);
    const content = reader.chunks(sizeBytes);
    yield { path, type, mode: Number.parseInt(textIn(header, 100, 8), 8) & 0o777, sizeBytes, content };
    // Skips content that the consumer has not read.
    for await (const _ of content);
    await reader.read((blockBytes - (sizeBytes % blockBytes)) % blockBytes);
  }
  await reader.drain();
  return undefined;
}

function pathOf(header: Buffer): string {
  const prefix = textIn(header, 345, 155);
  const name = textIn(header, 0, 100);
  return (prefix === '' ? name : `${prefix}/${name}`).replace(/^\.\//, '').replace(/\/$/, '');
}

function typeOf(header: Buffer): TarEntry['type'] | undefined {
  const flag = String.fromCharCode(header[156] ?? 0);
  if (flag === '5') return 'folder';
  return flag === '0' || flag === '\0' ? 'file' : undefined;
}

function sizeOf(header: Buffer): number {
  // Sizes of 8 GiB and more are stored in binary.
  if ((header[124] ?? 0) & 0x80) return Number(header.readBigUInt64BE(128));
  return Number.parseInt(textIn(header, 124, 12), 8);
}

function checksum(header: Buffer): number {
  let sum = 0;
  // The checksum field itself counts as spaces.
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 32 : byte;
  return sum;
}

function textIn(header: Buffer, start: number, length: number): string {
  const [text = ''] = header.toString('utf8', start, start + length).split('\0');
  return text.trim();
}
