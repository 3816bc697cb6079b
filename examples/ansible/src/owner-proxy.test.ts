import { seededRandom } from '@kubewright/apimachinery';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { TestEnvironment } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnerProxy, ownerProxy } from './owner-proxy.ts';

const namespace = 'default';
const path = `/api/v1/namespaces/${namespace}/configmaps`;

describe('ownerProxy', () => {
  let environment: TestEnvironment;
  let proxy: OwnerProxy;
  beforeAll(async () => {
    environment = await TestEnvironment.start();
    const { client } = environment;
    const owner = await client.resource(ConfigMap).create(ConfigMap({ metadata: { name: 'owner', namespace } }));
    proxy = await ownerProxy({ client, random: seededRandom(1) }, owner);
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
  });

  const send = async (
    method: string,
    to: string,
    { type = 'application/json', body }: { type?: string; body: string },
  ) => {
    const response = await fetch(`${proxy.url}${to}`, { method, headers: { 'content-type': type }, body });
    const answer = await response.json();
    expect(response.status, JSON.stringify(answer)).toBe(200);
    return answer as ConfigMap;
  };
  const owned = { ownerReferences: [{ kind: 'ConfigMap', name: 'owner', controller: true }] };

  it('notes the name that the server chose', async () => {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'some-' } });
    const { metadata } = await send('POST', path, { body });
    expect(metadata).toMatchObject(owned);
    expect(metadata?.name).toMatch(/^some-/);
    expect(proxy.touched).toContain(`${path}/${metadata?.name}`);
  });

  it('gives an applied object the owner, and leaves those of others alone', async () => {
    const type = 'application/apply-patch+yaml';
    const apply = (name: string, value: string) => {
      const body = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  key: ${value}\n`;
      return send('PATCH', `${path}/${name}?fieldManager=test&force=true`, { type, body });
    };
    expect(await apply('applied', 'one')).toMatchObject({ metadata: owned, data: { key: 'one' } });
    expect(await apply('applied', 'two')).toMatchObject({ metadata: owned, data: { key: 'two' } });
    expect(proxy.touched).toContain(`${path}/applied`);

    await environment.client.resource(ConfigMap).create(ConfigMap({ metadata: { name: 'other', namespace } }));
    const { metadata, data } = await apply('other', 'three');
    expect(data).toEqual({ key: 'three' });
    expect(metadata?.ownerReferences).toBeUndefined();
  });
});
