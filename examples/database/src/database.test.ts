import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Secret, Service } from '@kubewright/apimachinery/core/v1';
import { applyManifests } from '@kubewright/controlplane';
import { TestEnvironment, TestOperator, toMatch } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from './api/database.ts';
import { database } from './database.ts';

// The default is too short for a busy machine.
const waitOptions = { timeoutMs: 30_000 };
const key = { namespace: 'default', name: 'my-first-crd-database' };
const file = (name: string) => new URL(`../${name}`, import.meta.url).pathname;

describe('database', () => {
  let environment: TestEnvironment;
  let operator: TestOperator;
  beforeAll(async () => {
    environment = await TestEnvironment.start();
    operator = await TestOperator.start(environment.client, { controllers: [database] });
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
  });
  const apply = (name: string) => applyManifests(environment.client, { files: [file(name)], fieldManager: 'test' });
  const patch = (spec: Database['spec']) =>
    environment.client.resource(Database).patch(key, { type: 'merge', body: { spec } });

  it('follows a kind that is defined after the operator started, and a stricter definition of it', async () => {
    const { client } = environment;
    await apply('crd.yml');
    await apply('sample-object.yml');
    const servers = () => client.resource(StatefulSet).get(key);
    await operator.eventually(servers, toMatch({ spec: { replicas: 3 } }), waitOptions);
    expect(await client.resource(Service).get(key)).toMatchObject({ spec: { ports: [{ port: 5432 }] } });
    const { data } = await client.resource(Secret).get(key);
    const old = { namespace: 'default', name: 'old' };
    const nameless: Database = {
      apiVersion: 'stable.imaginedata.com/v1',
      kind: 'Database',
      metadata: old,
      spec: { replicas: 1 },
    };
    await client.resource(Database).create(nameless);
    await apply('crd-with-rules.yml');
    const outOfRange = 'spec.port: Invalid value: 70000: spec.port in body should be less than or equal to 65535';
    await operator.eventually(
      () => patch({ port: 70000 }).catch(String),
      (found) => expect(found).toContain(outOfRange),
      waitOptions,
    );
    await expect(patch({ 'storage-size': 'much' })).rejects.toThrow('must be an amount of bytes, such as 50G');
    await expect(patch({ 'storage-size': '60G' })).rejects.toThrow('are fixed at creation');
    const complete = (name: string) => {
      const spec = { name, 'storage-size': '1Gi', image: 'postgres' };
      return client.resource(Database).patch(old, { type: 'merge', body: { spec } });
    };
    await complete('orders');
    await expect(complete('users')).rejects.toThrow('are fixed at creation');
    await patch({ replicas: 4 });
    await operator.eventually(servers, toMatch({ spec: { replicas: 4 } }), waitOptions);
    expect((await client.resource(Secret).get(key)).data).toEqual(data);
  });
});
