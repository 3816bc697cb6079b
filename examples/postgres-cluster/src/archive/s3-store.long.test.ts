import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BreakableProxy } from '../../dev/breakable-proxy.ts';
import { freePort, S3Server } from '../../dev/s3-server.ts';
import { archiveStoreContract } from './archive-store.contract.ts';
import { type S3Bucket, S3Client } from './s3-client.ts';
import { S3Store } from './s3-store.ts';
import { elementsOf, textOf } from './xml.ts';

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
      const failure = { reason: 'Invalid', message: expect.stringContaining('NoSuchBucket') };
      await expect(store.get('a', { signal })).rejects.toMatchObject(failure);
      await expect(store.delete('a', { signal })).rejects.toMatchObject(failure);
    });

    it('deletes a file that does not exist, if the service responds 404 to that', async () => {
      const body = '<Error><Code>NoSuchKey</Code></Error>';
      await using service = createHttpServer((_, response) => response.writeHead(404).end(body)).listen(0, '127.0.0.1');
      await once(service, 'listening');
      const { port } = service.address() as AddressInfo;
      const store = new S3Store({ ...server.bucket, endpoint: `http://127.0.0.1:${port}` });
      expect(await store.delete('a', { signal })).toBeUndefined();
    });

    it('lists more than one page', async () => {
      const store = new S3Store(server.bucket, { pageSize: 3 });
      const names = Array.from({ length: 7 }, (_, index) => `pages/${index}`);
      for (const name of names) await store.put(name, Readable.from(['x']), { signal });
      const found: string[] = [];
      for await (const { name } of store.list('pages/', { signal })) found.push(name);
      expect(found).toEqual(names);
    });

    it('deletes the parts of interrupted uploads once they are old', async () => {
      const client = new S3Client(server.bucket);
      const key = 'shop/base/interrupted';
      const created = await client.send({ method: 'POST', key, query: { uploads: '' }, signal, accept: [200] });
      const uploadId = textOf(await text(created), 'UploadId');
      const body = randomBytes(5 * 1024 * 1024);
      const query = { partNumber: '1', uploadId };
      (await client.send({ method: 'PUT', key, query, body, signal, accept: [200] })).resume();
      const uploads = async () => {
        const response = await client.send({ method: 'GET', key: '', query: { uploads: '' }, signal, accept: [200] });
        return elementsOf(await text(response), 'Upload').map((upload) => textOf(upload, 'Key'));
      };
      const store = new S3Store(server.bucket);
      const [past, future] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)];
      await store.deleteInterrupted('', { before: past, signal });
      await store.deleteInterrupted('other/', { before: future, signal });
      expect(await uploads()).toEqual([key]);
      await store.deleteInterrupted('shop/', { before: future, signal });
      expect(await uploads()).toEqual([]);
    });

    it('resumes a download whose connection breaks', async () => {
      const content = randomBytes(8 * 1024 * 1024);
      const store = new S3Store(server.bucket);
      await store.put('download', Readable.from([content]), { signal });
      await using proxy = await breakingProxy(server.bucket, { afterBytes: 3 * 1024 * 1024 });
      const found = await new S3Store(proxy.bucket).get('download', { signal });
      if (!found) throw new Error('the file is missing');
      expect((await buffer(found)).equals(content)).toBe(true);
      expect(proxy.connections).toBe(3);
    });

    it('resumes a download after an outage of minutes', async () => {
      await using proxy = await BreakableProxy.to(Number(new URL(server.bucket.endpoint).port));
      let waitedMs = 0;
      const wait = async (ms: number) => {
        waitedMs += ms;
        if (waitedMs > 4 * 60_000) proxy.open();
      };
      const store = new S3Store({ ...server.bucket, endpoint: `http://127.0.0.1:${proxy.port}` }, { wait });
      const found = await store.get('download', { signal });
      if (!found) throw new Error('the file is missing');
      await once(found, 'readable');
      proxy.close();
      expect(await buffer(found)).toHaveLength(8 * 1024 * 1024);
      expect(waitedMs).toBeGreaterThan(4 * 60_000);
    });

    it('fails a download that makes no progress', async () => {
      await using proxy = await breakingProxy(server.bucket, { afterBytes: 3 * 1024 * 1024, rejectFrom: 2 });
      const store = new S3Store(proxy.bucket, { wait: async () => undefined });
      const found = await store.get('download', { signal });
      if (!found) throw new Error('the file is missing');
      await expect(buffer(found)).rejects.toMatchObject({ name: 'ArchiveError', reason: 'Unavailable' });
    });

    it('fails a download if the file is replaced in the meantime', async () => {
      const first = randomBytes(8 * 1024 * 1024);
      const store = new S3Store(server.bucket);
      await store.put('replaced', Readable.from([first]), { signal });
      await using proxy = await breakingProxy(server.bucket, { afterBytes: 3 * 1024 * 1024 });
      const found = await new S3Store(proxy.bucket).get('replaced', { signal });
      await store.delete('replaced', { signal });
      await store.put('replaced', Readable.from([randomBytes(8 * 1024 * 1024)]), { signal });
      if (!found) throw new Error('the file is missing');
      await expect(buffer(found)).rejects.toThrow('replaced was replaced or deleted during the download');
    });
  });
});

/**
 * Starts a proxy that closes each connection after `afterBytes` bytes of responses.
 *
 * @param limits - `rejectFrom`: number of the first connection to reject. All later connections are rejected, too.
 *   @defaultValue none
 */
async function breakingProxy(
  bucket: S3Bucket,
  { afterBytes, rejectFrom = Number.POSITIVE_INFINITY }: { readonly afterBytes: number; readonly rejectFrom?: number },
) {
  const target = Number(new URL(bucket.endpoint).port);
  const state = { connections: 0 };
  const proxy = createServer((inside) => {
    state.connections++;
    if (state.connections >= rejectFrom) return void inside.destroy();
    const outside = connect(target, '127.0.0.1');
    let sent = 0;
    inside.on('data', (data) => outside.write(data));
    outside.on('data', (data) => {
      sent += data.length;
      inside.write(data);
      if (sent >= afterBytes) inside.end(() => inside.destroy());
      if (sent >= afterBytes) outside.destroy();
    });
    for (const [one, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      one.on('error', () => undefined); // closed on purpose
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    bucket: { ...bucket, endpoint: `http://127.0.0.1:${port}` },
    get connections() {
      return state.connections;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void proxy.close(() => resolve())),
  };
}
