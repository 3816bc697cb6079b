import type { Buffer } from 'node:buffer';
import { ByteReader } from './byte-reader.ts';
import { ImageStoreError } from './image-store-error.ts';

/** A file, folder or link of a tar archive. */
export interface TarEntry {
  /** The path as written in the archive: `./usr/bin/env`, `usr/`. */
  readonly path: string;
  readonly type: 'file' | 'folder' | 'symlink' | 'hardlink' | 'device';
  /** The target of a link; otherwise empty. */
  readonly target: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly modifiedAtMs: number;
  /** The content of a file. Unread content is skipped. */
  readonly content: AsyncIterable<Uint8Array>;
}

const block = 512;
/** Maximum size of an extension header, in bytes. */
const maxExtension = 1024 * 1024;
const types: Readonly<Record<string, TarEntry['type']>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '3': 'device',
  '4': 'device',
  '5': 'folder',
  '6': 'device',
};

/**
 * Reads a tar archive: ustar, with the POSIX (pax) and GNU extensions for long names and large numbers.
 *
 * @throws ImageStoreError if the archive is truncated, damaged or in another format.
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void> {
  const reader = new ByteReader(source);
  let attributes: ReadonlyMap<string, string> = new Map();
  for (;;) {
    const header = await reader.read(block);
    // Some programs omit the two zero blocks at the end.
    if (header.length === 0 || header.every((byte) => byte === 0)) return;
    if (header.length < block) throw damaged('the archive is truncated');
    checkSum(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const size = attributes.has('size') ? Number(attributes.get('size')) : number(header, 124, 12);
    if (!Number.isSafeInteger(size) || size < 0) throw damaged('a file has an invalid size');
    if ('xgLK'.includes(type)) {
      const text = await extension(reader, size);
      if (type === 'x') attributes = new Map([...attributes, ...records(text)]);
      if (type === 'L') attributes = new Map([...attributes, ['path', untilZero(text)]]);
      if (type === 'K') attributes = new Map([...attributes, ['linkpath', untilZero(text)]]);
      continue;
    }
    const known = types[type];
    if (known === undefined) throw damaged(`the archive contains an entry of the unknown type "${type}"`);
    let missing = known === 'file' ? size : 0;
    const content = (async function* () {
      for await (const piece of reader.pieces(missing)) {
        missing -= piece.length;
        yield piece;
      }
      if (missing > 0) throw damaged('the archive is truncated');
    })();
    yield {
      path: attributes.get('path') ?? nameOf(header),
      type: known,
      target: attributes.get('linkpath') ?? string(header, 157, 100),
      mode: number(header, 100, 8) & 0o7777,
      uid: Number(attributes.get('uid') ?? number(header, 108, 8)),
      gid: Number(attributes.get('gid') ?? number(header, 116, 8)),
      size: missing,
      modifiedAtMs: Number(attributes.get('mtime') ?? number(header, 136, 12)) * 1_000,
      content,
    };
    for await (const _ of reader.pieces(missing));
    if (known === 'file') await reader.read(padding(size));
    attributes = new Map();
  }
}

async function extension(reader: ByteReader, size: number): Promise<Buffer> {
  if (size > maxExtension) throw damaged('a header is too large');
  const text = await reader.read(size);
  if (text.length < size) throw damaged('the archive is truncated');
  await reader.read(padding(size));
  return text;
}

/** Parses the records of a pax header, each with its length: `27 path=usr/bin/program` and a newline. */
function records(text: Buffer): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let start = 0; start < text.length; ) {
    const space = text.indexOf(' ', start);
    const length = Number(text.toString('utf8', start, space));
    if (space < 0 || !Number.isSafeInteger(length) || length < 5) throw damaged('a pax header is invalid');
    const record = text.toString('utf8', space + 1, start + length - 1);
    const equals = record.indexOf('=');
    if (record.startsWith('GNU.sparse.')) throw damaged('the archive contains sparse files, which are not supported');
    found.set(record.slice(0, equals), record.slice(equals + 1));
    start += length;
  }
  return found;
}

function nameOf(header: Buffer): string {
  const isUstar = header.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isUstar ? string(header, 345, 155) : '';
  const name = string(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function checkSum(header: Buffer): void {
  const expected = number(header, 148, 8);
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 32 : byte;
  if (sum !== expected) throw damaged('the checksum of a header is wrong');
}

/** Reads an octal number, or a large number in GNU's binary format. */
function number(header: Buffer, start: number, length: number): number {
  if (((header[start] ?? 0) & 0x80) === 0) return Number.parseInt(string(header, start, length).trim() || '0', 8);
  return [...header.subarray(start + 1, start + length)].reduce((value, byte) => value * 256 + byte, 0);
}

function string(header: Buffer, start: number, length: number): string {
  return untilZero(header.subarray(start, start + length));
}

function untilZero(text: Buffer): string {
  const end = text.indexOf(0);
  return text.toString('utf8', 0, end < 0 ? text.length : end);
}

function padding(size: number): number {
  return (block - (size % block)) % block;
}

function damaged(why: string): ImageStoreError {
  return new ImageStoreError({ what: 'cannot read the tar archive', why });
}
