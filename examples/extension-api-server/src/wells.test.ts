import { TestEnvironment, TestOperator, toMatch } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { register } from '../dev/register.ts';
import { WaterLevel } from './api/v1/water-level.ts';
import { Well } from './api/v1/well.ts';
import { wellServer } from './wells.ts';

// The default is too short for a busy machine.
const waitOptions = { timeoutMs: 30_000 };

describe('the API server of wells', () => {
  const server = wellServer({ hostnames: ['wells.default.svc'] });
  let environment: TestEnvironment;
  let operator: TestOperator;
  beforeAll(async () => {
    environment = await TestEnvironment.start();
    operator = await TestOperator.start(environment.client, { runnables: [server] });
    await register(environment.client, server, { group: Well.group, version: Well.version, service: 'wells' });
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
  });

  it('stores wells, behind the API server of the cluster', async () => {
    const wells = environment.client.resource(Well);
    const list = () => wells.list({ namespace: 'default' }).then(({ items }) => items.length);
    await operator.eventually(() => list().catch(String), toMatch(0), waitOptions);
    const well = (name: string, depth: number) => Well({ metadata: { name, namespace: 'default' }, spec: { depth } });
    expect((await wells.create(well('garden', 12))).spec).toEqual({ depth: 12, pump: 'bucket' });
    await expect(wells.create(well('deep', 200))).rejects.toThrow('a well deeper than 100 metres needs a motor');
  });

  it('computes water levels', async () => {
    const levels = environment.client.resource(WaterLevel);
    const read = async () => (await levels.list({ namespace: 'default' })).items.map(({ metadata }) => metadata.name);
    await operator.eventually(() => read().catch(String), toMatch(['garden', 'yard']), waitOptions);
  });
});
