import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

const maps = '/api/v1/namespaces/a/configmaps';
const hourMs = 3_600_000;

describe.each([
  ['forward', 24 * hourMs],
  ['back', -24 * hourMs],
])('a clock that jumps %s by a day', (_, jumpMs) => {
  let plane: PlaneUnderTest;

  beforeEach(async () => {
    plane = await PlaneUnderTest.start();
    await plane.send('POST', '/api/v1/namespaces', { metadata: { name: 'a' } });
    for (const name of ['one', 'two', 'three']) await plane.send('POST', maps, { metadata: { name } });
  });
  afterEach(async () => {
    expect(plane.errors).toEqual([]);
    await plane[Symbol.asyncDispose]();
  });

  const read = async (path: string) => JSON.parse((await plane.send('GET', path)).text);

  it('keeps resource versions increasing and conflicts detected', async () => {
    const before = await read(`${maps}/one`);
    plane.clock.jumpWall(jumpMs);
    const after = JSON.parse((await plane.send('PUT', `${maps}/one`, { ...before, data: { a: 'b' } })).text);
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    expect(after.metadata.creationTimestamp).toBe(before.metadata.creationTimestamp);
    expect((await plane.send('PUT', `${maps}/one`, { ...before, data: { a: 'c' } })).status).toBe(409);
  });

  it('does not interrupt paginated lists and watches', async () => {
    const { metadata } = await read(`${maps}?limit=1`);
    plane.clock.jumpWall(jumpMs);
    const next = await read(`${maps}?limit=500&continue=${encodeURIComponent(metadata.continue)}`);
    expect(next.items).toHaveLength(2);
    const watched = await plane.send(
      'GET',
      `${maps}?watch=true&timeoutSeconds=5&resourceVersion=${metadata.resourceVersion}`,
    );
    expect([watched.status, watched.text]).toEqual([200, '']);
  });

  it('keeps Events for an hour of elapsed time', async () => {
    const event = { metadata: { name: 'e' }, involvedObject: { namespace: 'a' }, type: 'Normal' };
    expect((await plane.send('POST', '/api/v1/namespaces/a/events', event)).status).toBe(201);
    plane.clock.jumpWall(jumpMs);
    await plane.clock.advance(hourMs - 60_000);
    expect((await plane.send('GET', '/api/v1/namespaces/a/events/e')).status).toBe(200);
    await plane.clock.advance(120_000);
    expect((await plane.send('GET', '/api/v1/namespaces/a/events/e')).status).toBe(404);
  });

  it('deletes a pod whose deletion began before the jump', async () => {
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const path = '/api/v1/namespaces/a/pods';
    await plane.send('POST', '/api/v1/namespaces/a/serviceaccounts', { metadata: { name: 'default' } });
    expect((await plane.send('POST', path, pod)).status).toBe(201);
    await plane.send('POST', `${path}/p/binding`, { target: { kind: 'Node', name: 'n' }, metadata: { name: 'p' } });
    expect((await plane.send('DELETE', `${path}/p`)).status).toBe(200);
    plane.clock.jumpWall(jumpMs);
    const again = JSON.parse((await plane.send('DELETE', `${path}/p`, { gracePeriodSeconds: 0 })).text);
    expect(again.metadata.name).toBe('p');
    expect((await plane.send('GET', `${path}/p`)).status).toBe(404);
  });

  it('rejects tokens issued before the jump, and accepts new tokens', async () => {
    await plane.send('POST', '/api/v1/namespaces/a/serviceaccounts', { metadata: { name: 'sa' } });
    const issue = async () => {
      const { text } = await plane.send('POST', '/api/v1/namespaces/a/serviceaccounts/sa/token', { spec: {} });
      return { authorization: `Bearer ${JSON.parse(text).status.token}` };
    };
    const old = await issue();
    expect((await plane.send('GET', '/version', undefined, old)).status).toBe(200);
    plane.clock.jumpWall(jumpMs);
    expect((await plane.send('GET', '/version', undefined, old)).status).toBe(401);
    expect((await plane.send('GET', '/version', undefined, await issue())).status).toBe(200);
  });
});
