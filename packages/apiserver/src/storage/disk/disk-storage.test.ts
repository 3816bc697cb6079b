import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@kubewright/apimachinery';
import { afterAll, describe, expect, it } from 'vitest';
import { put, storageContract } from '../storage.contract.ts';
import { markFile } from './disk-layout.ts';
import { DiskStorage } from './disk-storage.ts';
import { DiskStorageError, StorageCorruptError } from './disk-storage-error.ts';

const root = mkdtempSync(join(tmpdir(), 'kw-disk-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const newFolder = (): string => mkdtempSync(join(root, 'store-'));

const factory: Parameters<typeof storageContract>[1] = async (limits) => {
  const clock = new VirtualClock();
  return { clock, storage: await DiskStorage.open({ directory: newFolder(), clock, ...limits }) };
};
storageContract('DiskStorage', factory, { modelRuns: 20 });

async function open(directory: string, clock = new VirtualClock()): Promise<DiskStorage> {
  return DiskStorage.open({ directory, clock });
}

const objectOf = (name: string): string => JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } });

describe('DiskStorage', () => {
  it('keeps its objects and continues its revisions after it is reopened', async () => {
    const directory = newFolder();
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    let first: number;
    {
      await using storage = await open(directory, clock);
      await storage.commit([put('/r/a', 'a'), put('/r/b', 'b')]);
      await storage.commit([{ ...put('/r/brief', 'x'), ttlSeconds: 60 }]);
      const { revision } = await storage.commit([put('/r/a', 'again', 2)]);
      first = (await storage.commit([{ key: '/r/b', expected: 2, bytes: undefined }])).revision;
      expect(first).toBe(revision + 1);
    }
    await using storage = await open(directory, clock);
    expect(await storage.revision()).toBe(first);
    const { objects } = await storage.list({ prefix: '/r/' });
    expect(objects.map(({ key, revision, bytes }) => [key, revision, Buffer.from(bytes).toString()])).toEqual([
      ['/r/a', 4, 'again'],
      ['/r/brief', 3, 'x'],
    ]);
    await expect(storage.watch({ prefix: '/r/', fromRevision: 2 }, () => undefined)).rejects.toThrow('compacted');
    await clock.advance(60_000);
    await expect.poll(async () => (await storage.list({ prefix: '/r/' })).objects.length).toBe(1);
    expect((await storage.commit([put('/r/c', 'c')])).revision).toBe(first + 2);
  });

  it('can be opened after an attempt that failed because of its mark file', async () => {
    const directory = newFolder();
    mkdirSync(markFile(directory));
    await expect(open(directory)).rejects.toThrow(`cannot open the object store in ${directory}: EISDIR`);
    rmSync(markFile(directory), { recursive: true });
    await using storage = await open(directory);
    expect(await storage.revision()).toBe(1);
  });

  it('shows a write only once it is on disk, even to a writer that conflicts with it', async () => {
    await using storage = await open(newFolder());
    const write = storage.commit([put('/r/a', 'first')]);
    expect(await storage.get('/r/a')).toBeUndefined();
    const late = storage.commit([put('/r/a', 'second')]);
    await expect(late).rejects.toMatchObject({ code: 'KW5001', actual: { revision: 2 } });
    expect((await write).revision).toBe(2);
  });

  it('rejects a folder that is already open', async () => {
    const directory = newFolder();
    await using storage = await open(directory);
    await expect(open(directory)).rejects.toMatchObject({ code: 'KW5012', why: 'another process uses this store' });
    expect(await storage.revision()).toBe(1);
  });

  it.each([
    ['a changed byte in the log', (file: string) => overwrite(file, Math.floor(readFileSync(file).length / 2))],
    ['a truncated log', (file: string) => truncateSync(file, readFileSync(file).length - 100)],
    ['an empty log', (file: string) => truncateSync(file, 0)],
  ])('rejects %s and exports the readable objects', async (_, damage) => {
    const directory = newFolder();
    {
      await using storage = await open(directory);
      await storage.commit([put('/registry/claims/an-address', '/r/0')]); // not an object
      for (let n = 0; n < 20; n++) await storage.commit([put(`/r/${n}`, objectOf(`c${n}`))]);
    }
    const log = readdirSync(join(directory, 'db')).find((name) => name.endsWith('.log')) ?? '';
    damage(join(directory, 'db', log));
    const error: unknown = await open(directory).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StorageCorruptError);
    const { exported = '', message } = error as StorageCorruptError;
    expect(message).toContain(`the object store in ${directory} is damaged: `);
    const { items } = JSON.parse(readFileSync(exported, 'utf8'));
    expect(items.length).toBeLessThan(20);
    for (const item of items) expect(item).toMatchObject({ kind: 'ConfigMap', metadata: { name: /^c\d+$/ } });
  });

  it('rejects a database without its manifest', async () => {
    const directory = newFolder();
    {
      await using storage = await open(directory);
      await storage.commit([put('/r/a', objectOf('a'))]);
    }
    writeFileSync(join(directory, 'db', 'CURRENT'), 'MANIFEST-999999\n');
    await expect(open(directory)).rejects.toMatchObject({ code: 'KW5011' });
  });

  it('reports a folder that cannot be used', async () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    await expect(open(file)).rejects.toThrow(DiskStorageError);
  });
});

function overwrite(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
}
