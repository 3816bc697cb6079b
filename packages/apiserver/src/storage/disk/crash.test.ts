import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterAll, describe, expect, it } from 'vitest';
import { put } from '../storage.contract.ts';
import { DiskStorage } from './disk-storage.ts';
import { killWriters } from './testdata/kill-writers.ts';

const root = mkdtempSync(join(tmpdir(), 'kw-crash-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('DiskStorage after a crash', () => {
  it('has all that was acknowledged to writers that were killed, and nothing else', { timeout: 60_000 }, async () => {
    await killWriters(join(root, 'killed'), { kills: 4, seed: Math.floor(Math.random() * 1e6) });
  });

  // The library does not allow replacing its files, so this truncates its log, the only file that grows here.
  it('has all that was acknowledged before the power failed, when unsynced writes are lost', async () => {
    const directory = join(root, 'power');
    const storage = await DiskStorage.open({ directory, clock: new VirtualClock() });
    const log = readdirSync(join(directory, 'db')).find((name) => name.endsWith('.log')) ?? '';
    const synced: { readonly revision: number; readonly size: number }[] = [];
    for (let n = 0; n < 60; n++) {
      const { revision } = await storage.commit([put(`/r/${n}`, 'x'.repeat((n * 397) % 2000))]);
      synced.push({ revision, size: statSync(join(directory, 'db', log)).size });
    }
    await storage[Symbol.asyncDispose]();
    const random = seededRandom(1);
    for (const [index, { revision, size }] of synced.entries()) {
      const copy = join(root, `copy-${index}`);
      cpSync(directory, copy, { recursive: true });
      const unsynced = (synced[index + 1]?.size ?? size) - size;
      truncateSync(join(copy, 'db', log), size + Math.floor(random.next() * unsynced));
      writeFileSync(join(copy, 'last-revision'), String(revision));
      await using reopened = await DiskStorage.open({ directory: copy, clock: new VirtualClock() });
      expect(await reopened.revision()).toBe(revision);
      expect((await reopened.list({ prefix: '/r/' })).objects).toHaveLength(index + 1);
    }
  });
});
