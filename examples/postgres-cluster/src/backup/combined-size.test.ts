import { describe, expect, it } from 'vitest';
import type { BackupManifest } from './backup-manifest.ts';
import { combinedBytes } from './combined-size.ts';

const manifest = (sizes: Readonly<Record<string, number>>): BackupManifest => ({
  files: Object.entries(sizes).map(([path, sizeBytes]) => ({ path, sizeBytes, sha256: '' })),
  wal: [{ timeline: 1, beginLSN: '0/0', endLSN: '0/0' }],
});
const full = manifest({ 'base/5/1': 1_000, 'base/5/2': 200, PG_VERSION: 3 });

describe('combinedBytes', () => {
  it.each<[string, BackupManifest[], number, number]>([
    ['has changed blocks', [full, manifest({ 'base/5/INCREMENTAL.1': 10, PG_VERSION: 3 })], 1_003, 1_000],
    [
      'has changed blocks of two backups',
      [full, manifest({ 'base/5/INCREMENTAL.1': 10 }), manifest({ 'base/5/INCREMENTAL.1': 20, 'base/5/2': 300 })],
      1_300,
      1_000,
    ],
    [
      'was complete again in a later backup',
      [full, manifest({ 'base/5/1': 5_000 }), manifest({ 'base/5/INCREMENTAL.1': 20 })],
      5_000,
      5_000,
    ],
    ['has more changed blocks than the file had', [full, manifest({ 'base/5/INCREMENTAL.2': 900 })], 900, 900],
    ['is the name of a folder', [full, manifest({ 'INCREMENTAL.x/1': 7 })], 7, 0],
  ])('if a file %s', (_, manifests, copied, linked) => {
    expect(combinedBytes(manifests, { linksFiles: false })).toBe(copied);
    expect(combinedBytes(manifests, { linksFiles: true })).toBe(linked);
  });
});
