import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestServer } from '../testdata/test-server.ts';

const path = '/api/v1/namespaces/default/configmaps';
const withVersion = (resourceVersion: string) => ({ metadata: { name: 'a', resourceVersion } });

describe('createObject', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await TestServer.start();
  });

  afterEach(async () => {
    expect(server.errors).toEqual([]);
    await server[Symbol.asyncDispose]();
  });

  it('rejects a resourceVersion with a 500 without a reason, as upstream does', async () => {
    const { status, json } = await server.post(path, withVersion('7'));
    expect([status, json]).toEqual([
      500,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'resourceVersion should not be set on objects to be created',
        code: 500,
      },
    ]);
    await server.post(path, { metadata: { name: 'a' } });
    expect((await server.post(path, withVersion('7'))).status).toBe(500);
  });

  it('reports invalid fields before the resourceVersion', async () => {
    const { status, json } = await server.post(path, { metadata: { name: 'A_', resourceVersion: '7' } });
    expect([status, json.message]).toEqual([422, expect.not.stringContaining('resourceVersion')]);
  });

  it.each(['0', 'abc'])('ignores the resourceVersion %s', async (version) => {
    const { status, json } = await server.post(path, withVersion(version));
    expect([status, json.metadata.resourceVersion]).toEqual([201, expect.stringMatching(/^[1-9]\d*$/)]);
  });

  it('keeps the resourceVersion in a dry run, which does not reach storage', async () => {
    const { status, json } = await server.post(`${path}?dryRun=All`, withVersion('7'));
    expect([status, json.metadata.resourceVersion]).toEqual([201, '7']);
  });
});
