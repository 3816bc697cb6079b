import { type Kind, type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { cached } from '../cache/cached-kind.ts';
import { InformerCache } from '../cache/informer-cache.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { FutileWrites } from './futile-writes.ts';

// Findings are tested with complete controllers, in test/runtime/futile-writes.test.ts.

const Thing: Kind<KubernetesObject & { readonly spec?: unknown }> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};
const stop = new AbortController();
afterEach(() => stop.abort());

describe('FutileWrites', () => {
  it('stops looking for the other writer when the write is aborted', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Thing], { clock });
    const cache = new InformerCache({ client: server.client, clock, random: seededRandom(3), log: silentLogger });
    cache.declare(cached(Thing));
    void cache.run(stop.signal);
    await cache.waitForSync(stop.signal);
    const futile = new FutileWrites({ cache, clock, fieldManager: 'me', onFutile: () => {} });
    const key = { namespace: 'default', name: 'a' };
    const write = async (signal?: AbortSignal): Promise<void> => {
      const session = futile.begin({ key: 'default/a', unguarded: server.client, report: () => {} });
      const guarded = server.client.intercepted(futile.interceptor(session));
      const client = guarded.observed(futile.observer(session));
      const body = { spec: 'mine' };
      await client
        .resource(Thing)
        .patch(key, { type: 'merge', body }, { signal })
        .finally(() => futile.ended(session));
    };
    for (let i = 0; i < 4; i++) {
      const { metadata } = server.put(Thing, { metadata: { name: 'a' }, spec: 'theirs' });
      await eventually(() => cache.lister(Thing).get(key)?.metadata.resourceVersion === metadata.resourceVersion);
      await write();
    }
    // At this point the detector queries the field's other managers; the server does not respond.
    let asked = 0;
    server.interrupt = ({ method, verb }) => {
      if (method !== 'GET' || verb === 'watch') return undefined;
      asked++;
      return new Promise(() => {});
    };
    const leaving = new AbortController();
    const written = write(leaving.signal);
    await eventually(() => asked > 0);
    leaving.abort(new Error('left'));
    await expect(written).rejects.toThrow('left');
  });
});
