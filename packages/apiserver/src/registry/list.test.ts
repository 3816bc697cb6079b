import { VirtualClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestServer } from '../testdata/test-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('listObjects', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await TestServer.start();
    for (let i = 0; i < 7; i++) {
      await server.post(configMaps, { metadata: { name: `c${i}`, labels: { odd: String(i % 2 === 1) } } });
    }
  });

  afterEach(async () => {
    expect(server.errors).toEqual([]);
    await server[Symbol.asyncDispose]();
  });

  const names = (json: { readonly items: readonly { readonly metadata: { readonly name: string } }[] }): string[] =>
    json.items.map(({ metadata }) => metadata.name);

  it('serves all pages at one version despite concurrent writes', async () => {
    const first = await server.get(`${configMaps}?limit=3`);
    expect(names(first.json)).toEqual(['c0', 'c1', 'c2']);
    expect(first.json.metadata.remainingItemCount).toBe(4);
    await server.delete(`${configMaps}/c3`);
    await server.post(configMaps, { metadata: { name: 'c9' } });
    const second = await server.get(`${configMaps}?limit=3&continue=${first.json.metadata.continue}`);
    expect(names(second.json)).toEqual(['c3', 'c4', 'c5']);
    expect(second.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion);
    const third = await server.get(`${configMaps}?limit=3&continue=${second.json.metadata.continue}`);
    expect(names(third.json)).toEqual(['c6']);
    expect(third.json.metadata.continue).toBeUndefined();
  });

  it('pages through a selection without counting the remaining items', async () => {
    const first = await server.get(`${configMaps}?limit=2&labelSelector=odd%3Dtrue`);
    expect(names(first.json)).toEqual(['c1', 'c3']);
    expect(first.json.metadata.remainingItemCount).toBeUndefined();
    const token = first.json.metadata.continue;
    const second = await server.get(`${configMaps}?limit=2&labelSelector=odd%3Dtrue&continue=${token}`);
    expect(names(second.json)).toEqual(['c5']);
  });

  it('lists an exact past version', async () => {
    const { json } = await server.get(configMaps);
    await server.delete(`${configMaps}/c0`);
    const version = json.metadata.resourceVersion;
    const past = await server.get(`${configMaps}?resourceVersion=${version}&resourceVersionMatch=Exact`);
    expect(names(past.json)).toHaveLength(7);
    const now = await server.get(`${configMaps}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`);
    expect(names(now.json)).toHaveLength(6);
  });

  it('reads only the object that a field selector names', async () => {
    const { json } = await server.get(configMaps);
    await server.patch(`${configMaps}/c2`, 'merge', { data: { x: '1' } });
    const named = `${configMaps}?fieldSelector=metadata.name%3Dc2&resourceVersion=${json.metadata.resourceVersion}`;
    const limited = await server.get(`${named}&limit=1`);
    expect(limited.json.items.map((one: { readonly data: unknown }) => one.data)).toEqual([{ x: '1' }]);
    expect(limited.json.metadata.continue).toBeUndefined();
    const exact = await server.get(`${named}&resourceVersionMatch=Exact`);
    expect(exact.json.items.map((one: { readonly data: unknown }) => one.data)).toEqual([undefined]);
    expect(names((await server.get(`${named}&labelSelector=odd%3Dtrue`)).json)).toEqual([]);
    expect(names((await server.get(`${configMaps}?fieldSelector=metadata.name%3Dc`)).json)).toEqual([]);
  });

  it('returns a deleted collection as it was before', async () => {
    const before = await server.get(configMaps);
    const { json } = await server.delete(configMaps);
    expect(json.items).toEqual(before.json.items);
    expect(names((await server.get(configMaps)).json)).toEqual([]);
  });

  it('answers an expired token with a token for the rest of the list', async () => {
    const first = await server.get(`${configMaps}?limit=3`);
    await server.post(configMaps, { metadata: { name: 'y' } });
    await server.clock.advance(10 * 60_000);
    await server.post(configMaps, { metadata: { name: 'z' } });
    const gone = await server.get(`${configMaps}?limit=3&continue=${first.json.metadata.continue}`);
    expect(gone.status).toBe(410);
    const rest = await server.get(`${configMaps}?continue=${gone.json.metadata.continue}`);
    expect(names(rest.json)).toEqual(['c3', 'c4', 'c5', 'c6', 'y', 'z']);
  });

  it('ignores the limit for resourceVersion=0', async () => {
    expect(names((await server.get(`${configMaps}?limit=2&resourceVersion=0`)).json)).toHaveLength(7);
  });
});

/** A clock that advances by a millisecond on every read. */
class SlowClock extends VirtualClock {
  #readings = 0;

  override monotonic(): number {
    return super.monotonic() + this.#readings++;
  }
}

describe('list responses', () => {
  it.each([
    ['a selection', '?labelSelector=none', {}],
    ['a table', '', { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }],
    ['metadata', '', { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }],
  ])('yields to other requests while it encodes %s of many objects', async (_what, query, headers) => {
    const server = await TestServer.start({ clock: new SlowClock() });
    for (let i = 0; i < 1000; i++) await server.post(configMaps, { metadata: { name: `c${i}` } });
    let turns = 0;
    let done = false;
    const count = (): void => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const { status } = await server.get(`${configMaps}${query}`, headers);
    done = true;
    expect(status).toBe(200);
    expect(turns).toBeGreaterThan(3);
    await server[Symbol.asyncDispose]();
  });
});
