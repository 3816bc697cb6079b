import { Buffer } from 'node:buffer';

/** A file of a tar archive. Its path must be ASCII and at most 100 characters. */
export interface TarFile {
  readonly path: string;
  readonly content: Uint8Array;
}

const block = 512;

/**
 * Writes a tar archive (ustar) of files and their folders. All entries belong to user 0, are readable by everyone and
 * have the timestamp 0, so that the same files always give the same bytes.
 */
export function writeTar(files: readonly TarFile[]): Buffer {
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  const parts = [...folders].map((folder) => header(`${folder}/`, { type: '5', mode: 0o755, size: 0 }));
  for (const { path, content } of files) {
    parts.push(header(path, { type: '0', mode: 0o644, size: content.length }));
    parts.push(Buffer.from(content), Buffer.alloc((block - (content.length % block)) % block));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

/** `a/b/c` → `a`, `a/b` */
function foldersOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

function header(path: string, file: { readonly type: string; readonly mode: number; readonly size: number }): Buffer {
  const bytes = Buffer.alloc(block);
  if (Buffer.byteLength(path) > 100) throw new RangeError(`the path ${path} is too long for a tar archive`);
  const octal = (value: number, at: number, width: number): void => {
    bytes.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1');
  };
  bytes.write(path, 0);
  octal(file.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(file.size, 124, 12);
  octal(0, 136, 12);
  bytes.write(`${file.type}`, 156);
  bytes.write('ustar\u000000', 257, 'latin1');
  // The checksum is computed as if its own field consisted of spaces.
  bytes.fill(' ', 148, 156);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}
