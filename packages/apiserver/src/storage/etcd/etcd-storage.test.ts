import { VirtualClock } from '@kubewright/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtcdServer, isEtcdMissing } from '../../testdata/etcd-server.ts';
import { put, storageContract } from '../storage.contract.ts';
import { EtcdStorage, type EtcdStorageOptions } from './etcd-storage.ts';

describe.skipIf(isEtcdMissing)('on a real etcd', () => {
  let etcd: EtcdServer;
  let stores = 0;
  beforeAll(async () => {
    etcd = await EtcdServer.start();
  });
  afterAll(() => etcd?.[Symbol.asyncDispose]());

  const factory: Parameters<typeof storageContract>[1] = async ({ historyMs }) => {
    const clock = new VirtualClock();
    const keyPrefix = `/store-${stores++}`;
    // Each compaction uses up a revision, which the model does not expect.
    const isModel = historyMs < 60_000;
    const options = {
      servers: [etcd.url],
      clock,
      keyPrefix,
      historyMs: isModel ? Number.POSITIVE_INFINITY : historyMs / 2,
    };
    return { clock, storage: await EtcdStorage.connect(options), expiresInRealTime: true };
  };
  storageContract('EtcdStorage', factory, { boundsHistorySize: false, modelRuns: 5 });

  const connect = (options: Partial<EtcdStorageOptions> = {}): Promise<EtcdStorage> =>
    EtcdStorage.connect({
      servers: [etcd.url],
      clock: new VirtualClock(),
      keyPrefix: `/store-${stores++}`,
      ...options,
    });

  it('synchronizes watches without the progress notifications of an old etcd', async () => {
    await using storage = await connect({ versionOf: async () => '3.5.7' });
    const { revision } = await storage.commit([put('/r/a', '1'), put('/r/b', '1')]);
    const seen: string[] = [];
    using watch = await storage.watch({ prefix: '/r/', fromRevision: revision - 1 }, (changes) => {
      for (const { key, current } of changes) seen.push(`${key} ${current ? 'put' : 'deleted'}`);
    });
    expect(seen.splice(0)).toEqual(['/r/a put', '/r/b put']);
    const other = await storage.commit([put('/other/a', '1')]);
    expect(await watch.synced()).toBeGreaterThanOrEqual(other.revision);
    await storage.commit([{ key: '/r/a', expected: revision, bytes: undefined }]);
    await storage.commit([put('/r/b', '2', revision)]);
    const last = await storage.commit([put('/r/c', '1')]);
    expect(await watch.synced()).toBeGreaterThanOrEqual(last.revision);
    expect(seen).toEqual(['/r/a deleted', '/r/b put', '/r/c put']);
    const quiet = await storage.commit([put('/other/b', '1')]);
    expect(await watch.synced()).toBeGreaterThanOrEqual(quiet.revision);
  });

  it.each([2_000, 5_000])('reports the size of a commit that etcd rejects (keys of %i bytes)', async (length) => {
    await using storage = await connect();
    // etcd counts each key three times toward the size of a commit.
    const writes = Array.from({ length: 100 }, (_, n) => put(`/r/${n}-`.padEnd(length, 'k'), 'v'.repeat(10_000)));
    const size = 100 * (length + 10_000);
    const why = 'the storage server rejects the request as too large';
    await expect(storage.commit(writes)).rejects.toThrow(`cannot write ${size} bytes: ${why}`);
  });

  it('forgets watches that have ended', async () => {
    await using storage = await connect();
    for (let n = 0; n < 5; n++) {
      const watch = await storage.watch({ prefix: '/r/', fromRevision: await storage.revision() }, () => undefined);
      watch[Symbol.dispose]();
    }
    expect(storage.watchCount).toBe(0);
  });

  it('ends only the watch if a change cannot be decoded', async () => {
    const decode = (): never => {
      throw new Error('cannot decode');
    };
    await using storage = await connect({ decode });
    const lost: unknown[] = [];
    const fromRevision = await storage.revision();
    await storage.watch({ prefix: '/r/', fromRevision, onLost: (error) => lost.push(error) }, () => undefined);
    await storage.commit([put('/r/a', 'k8s\0')]);
    await expect.poll(() => lost).toMatchObject([{ message: 'cannot decode' }]);
    expect(storage.watchCount).toBe(0);
  });

  it('reports errors of handlers', async () => {
    const errors: unknown[] = [];
    await using storage = await connect({ onError: (error) => errors.push(error) });
    using watch = await storage.watch({ prefix: '/r/', fromRevision: await storage.revision() }, () => {
      throw new Error('a bug');
    });
    await storage.commit([put('/r/a', '1')]);
    await watch.synced();
    expect(errors).toMatchObject([{ message: 'a bug' }]);
  });

  it('continues its watches after etcd was killed and restarted', { timeout: 30_000 }, async () => {
    await using storage = await EtcdStorage.connect({
      servers: [etcd.url],
      clock: new VirtualClock(),
      keyPrefix: '/w',
    });
    const seen: string[] = [];
    using watch = await storage.watch({ prefix: '/r/', fromRevision: await storage.revision() }, (changes) => {
      for (const { key } of changes) seen.push(key);
    });
    await storage.commit([put('/r/before', 'x')]);
    await watch.synced();
    await etcd.kill();
    await etcd.run();
    const write = async (): Promise<boolean> =>
      storage.commit([put('/r/after', 'x')]).then(
        () => true,
        () => false,
      );
    await expect.poll(write, { timeout: 30_000 }).toBe(true);
    await watch.synced();
    expect(seen).toEqual(['/r/before', '/r/after']);
  });
});
