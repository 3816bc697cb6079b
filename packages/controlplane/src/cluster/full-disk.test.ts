import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VirtualClock } from '@kubewright/apimachinery';
import { openDiskStorage, type Storage } from '@kubewright/apiserver';
import { describe, expect, it } from 'vitest';
import { noSmallDisk, smallDisk } from '../node/testdata/small-disk.ts';

describe('objects on a full disk', () => {
  it('stay readable, and can be written again after the next start', async (context) => {
    using disk = smallDisk('2m');
    if (!disk) return context.skip(noSmallDisk);
    const open = (): Promise<Storage> =>
      openDiskStorage({ directory: join(disk.folder, 'data'), clock: new VirtualClock() });
    const put = (storage: Storage, key: string) =>
      storage.commit([{ key, expected: 0, bytes: Buffer.alloc(20_000, 'x') }]);
    const keysOf = async (storage: Storage) => (await storage.list({ prefix: '/r/' })).objects.map(({ key }) => key);
    const ballast = join(disk.folder, 'ballast');
    {
      await using storage = await open();
      await put(storage, '/r/kept');
      expect(() => writeFileSync(ballast, Buffer.alloc(4_000_000))).toThrow('ENOSPC');
      const full = { code: 'KW5012', why: expect.stringContaining('No space left on device') };
      await expect(put(storage, '/r/lost')).rejects.toMatchObject(full);
      expect(await keysOf(storage)).toEqual(['/r/kept']);
      rmSync(ballast);
      // The failed write may be partly on disk, so the storage rejects all further writes.
      await expect(put(storage, '/r/also-lost')).rejects.toMatchObject(full);
    }
    await using storage = await open();
    expect(await keysOf(storage)).toEqual(['/r/kept']);
    await put(storage, '/r/later');
    expect(await keysOf(storage)).toEqual(['/r/kept', '/r/later']);
    return undefined;
  });
});
