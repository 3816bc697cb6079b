import { spawnSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, S3Server } from '../../dev/s3-server.ts';
import { archiveStoreContract } from './archive-store.contract.ts';
import { S3Store } from './s3-store.ts';

const isInstalled = spawnSync('versitygw', ['--version']).status === 0;

describe.skipIf(!isInstalled)('an S3 server (needs versitygw on the PATH: node scripts/fixtures/versitygw.mjs)', () => {
  archiveStoreContract('S3Store', async () => {
    const server = await S3Server.start();
    const unreachable = { ...server.bucket, endpoint: `http://127.0.0.1:${await freePort()}` };
    return {
      store: new S3Store(server.bucket),
      unreachable: new S3Store(unreachable, { wait: async () => undefined }),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  });

  describe('S3Store', () => {
    let server: S3Server;
    const { signal } = new AbortController();
    beforeAll(async () => {
      server = await S3Server.start();
    });
    afterAll(() => server?.[Symbol.asyncDispose]());

    it('reports wrong credentials', async () => {
      const store = new S3Store({ ...server.bucket, secretAccessKey: 'wrong' });
      await expect(store.get('a', { signal })).rejects.toMatchObject({
        reason: 'Forbidden',
        message: expect.stringContaining('SignatureDoesNotMatch'),
      });
    });

    it('reports a bucket that does not exist', async () => {
      const store = new S3Store({ ...server.bucket, bucket: 'missing' });
      await expect(store.get('a', { signal })).rejects.toMatchObject({
        reason: 'Invalid',
        message: expect.stringContaining('NoSuchBucket'),
      });
    });

    it('lists more than one page', async () => {
      const store = new S3Store(server.bucket, { pageSize: 3 });
      const names = Array.from({ length: 7 }, (_, index) => `pages/${index}`);
      for (const name of names) await store.put(name, Readable.from(['x']), { signal });
      const found: string[] = [];
      for await (const { name } of store.list('pages/', { signal })) found.push(name);
      expect(found).toEqual(names);
    });
  });
});
