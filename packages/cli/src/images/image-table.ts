import type { ImageStore } from '@kubewright/controlplane/internal';

type StoredImage = Awaited<ReturnType<ImageStore['list']>>[number];

/** Formats images as a table. */
export function imageTable(images: readonly StoredImage[]): string {
  const rows = images.map(({ name, digest, size }) => [name, digest.slice(7, 19), formatSize(size)]);
  const width = Math.max(...['IMAGE', ...rows.map(([name = '']) => name)].map(({ length }) => length));
  return [['IMAGE', 'DIGEST', 'SIZE'], ...rows]
    .map(([name = '', digest = '', size = '']) => `${name.padEnd(width)}  ${digest.padEnd(12)}  ${size}\n`)
    .join('');
}

/** Formats a number of bytes: `12.3 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}
