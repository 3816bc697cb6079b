import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../../testdata/plane-under-test.ts';
import { headersOf, type NodeAnswer, play, type SendRequest } from './testdata/node-requests.mjs';

const file = new URL('testdata/node-requests-1.36.3.json', import.meta.url);
const recorded = JSON.parse(readFileSync(file, 'utf8')) as readonly NodeAnswer[];
const ns = '/api/v1/namespaces/nodes-rights';

describe('nodes', () => {
  let plane: PlaneUnderTest;
  let answers: readonly NodeAnswer[];

  const send: SendRequest = (method, path, { body, headers }) => plane.send(method, path, body, headers);
  const get = async (who: string, path: string): Promise<number> =>
    (await send('GET', path, { headers: headersOf(who) })).status;
  const admin = async (method: string, path: string, object: unknown): Promise<number> =>
    (await send(method, path, { body: JSON.stringify(object), headers: { 'content-type': 'application/json' } }))
      .status;

  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
    answers = await play(send);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    expect(plane.errors).toEqual([]);
  });

  it.each(recorded.map((answer, index) => ({ ...answer, index })))(
    'get the same decisions as from the real API server: $index $request',
    ({ index, ...answer }) => {
      expect(answers[index]).toEqual(answer);
    },
  );

  it('lose access to the objects of a deleted pod, and gain access to those of a pod bound to them', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'late' } };
    const spec = { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'a', secret: { secretName: 'late' } }] };
    const metadata = { name: 'late' };
    expect(await admin('POST', `${ns}/secrets`, secret)).toBe(201);
    expect(await admin('POST', `${ns}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata, spec })).toBe(201);
    expect(await get('mine', `${ns}/secrets/late`)).toBe(403);
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata, target: { kind: 'Node', name: 'mine' } };
    expect(await admin('POST', `${ns}/pods/late/binding`, binding)).toBe(201);
    expect(await get('mine', `${ns}/secrets/late`)).toBe(200);
    expect(await get('other', `${ns}/secrets/late`)).toBe(403);
    expect(await admin('DELETE', `${ns}/pods/late`, { gracePeriodSeconds: 0 })).toBe(200);
    expect(await get('mine', `${ns}/secrets/late`)).toBe(403);
  });

  it('must be in the group system:nodes', async () => {
    const headers = { 'impersonate-user': 'system:node:mine' };
    expect((await send('GET', `${ns}/secrets/volume`, { headers })).status).toBe(403);
  });

  it('are authorized equally fast, no matter how many other objects exist', async () => {
    const encode = (index: number): Uint8Array => {
      const metadata = { name: `p${index}`, namespace: 'crowd', uid: `${index}` };
      const volumes = [{ name: 'v', secret: { secretName: `s${index}` } }];
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'other', containers: [], volumes } };
      return Buffer.from(JSON.stringify(pod));
    };
    for (let i = 0; i < 20_000; i++) {
      await plane.storage.commit([{ key: `/registry/pods/crowd/p${i}`, expected: 0, bytes: encode(i) }]);
    }
    await get('mine', `${ns}/secrets/volume`);
    const started = performance.now();
    for (let i = 0; i < 200; i++) await get('mine', `${ns}/secrets/volume`);
    // Scanning 20,000 pods for every request would take many times as long.
    expect((performance.now() - started) / 200).toBeLessThan(10);
  });
});
