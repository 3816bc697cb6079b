import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DirectoryStore } from '../archive/directory-store.ts';
import { type ArchivedBackup, backupFiles } from './archived-backup.ts';
import { restoreBackup } from './restore-backup.ts';

const { signal } = new AbortController();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restore-'));
});
afterEach(() => rm(folder, { recursive: true }));

const backup = (id: string): ArchivedBackup => ({
  id,
  type: 'full',
  name: id,
  uid: id,
  systemID: '1',
  serverVersion: 170_000,
  segmentBytes: 16 * 1024 ** 2,
  timeline: 1,
  beginLSN: '0/0',
  endLSN: '0/0',
  beginWAL: '',
  endWAL: '',
  startedAt: '',
  stoppedAt: '',
  sizeBytes: 1_000,
});
function manifestOf(path: string, size: number): string {
  const file = { Path: path, Size: size, 'Checksum-Algorithm': 'SHA256', Checksum: '' };
  const range = { Timeline: 1, 'Start-LSN': '0/0', 'End-LSN': '0/0' };
  const lines = `{ "Files": [${JSON.stringify(file)}], "WAL-Ranges": [${JSON.stringify(range)}],\n`;
  return `${lines}"Manifest-Checksum": "${createHash('sha256').update(lines).digest('hex')}"}\n`;
}

it('rejects an incremental backup whose combination does not fit, before it downloads anything', async () => {
  await mkdir(join(folder, 'archive'));
  const store = new DirectoryStore(join(folder, 'archive'));
  const chain = [backup('full'), backup('incremental')];
  const manifests = [manifestOf('base/5/1', 2 ** 50), manifestOf('base/5/INCREMENTAL.1', 100)];
  for (const [index, { id }] of chain.entries()) {
    await store.put(backupFiles(id).manifest, Readable.from([Buffer.from(manifests[index] ?? '')]), { signal });
  }
  const dataDirectory = join(folder, 'data');
  const restoring = restoreBackup({ chain, dataDirectory, store, programs: { env: process.env }, signal });
  await expect(restoring).rejects.toMatchObject({
    reason: 'NoSpace',
    message: expect.stringMatching(
      /^the volume is too small to restore the backup incremental, which needs at least \d+ bytes \(2000 for the backups, 1125899906842624 to combine them\); set a larger spec.storage.size: only \d+ bytes are free$/,
    ),
  });
  expect(await readdir(folder)).toEqual(['archive']);
});
