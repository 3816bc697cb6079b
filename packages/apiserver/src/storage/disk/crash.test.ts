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
  it('keeps every acknowledged write of a killed process, and nothing that was never written', {
    timeout: 60_000,
  }, async () => {
    await killWriters(join(root, 'killed'), { kills: 4, seed: Math.floor(Math.random() * 1e6) });
  });

  // LevelDB's file access cannot be replaced, so this test truncates the log, the only file that grows here.
  it('keeps every acknowledged write when a power failure loses unsynced data', async () => {
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
