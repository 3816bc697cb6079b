import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Answer, TestServer } from '../testdata/test-server.ts';

const path = '/api/v1/namespaces/default/configmaps';

async function serverWith(count: number): Promise<TestServer> {
  const server = await TestServer.start();
  for (let i = 0; i < count; i++) {
    await server.post(path, { metadata: { name: `m${i}` }, data: { text: `- a: "${i}"\nb:\n  c: {}`, empty: '' } });
  }
  return server;
}

const forms = {
  list: 'application/json',
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
};

describe('long lists', () => {
  it.each(Object.entries(forms))('are indented like a list encoded in one go: %s', async (_name, accept) => {
    for (const count of [0, 1, 3]) {
      await using server = await serverWith(count);
      const plain = await server.get(path, { accept });
      const pretty = await server.get(`${path}?pretty=true`, { accept });
      expect(pretty.text).toBe(JSON.stringify(plain.json, undefined, 2));
    }
  });

  it.each(Object.entries(forms))('have the same content as YAML: %s', async (_name, accept) => {
    for (const count of [0, 1, 3]) {
      await using server = await serverWith(count);
      const plain = await server.get(path, { accept });
      const yaml: Answer = await server.get(path, { accept: accept.replace('json', 'yaml') });
      expect(yaml.headers['content-type']).toBe('application/yaml');
      expect(parse(yaml.text)).toEqual(plain.json);
    }
  });

  it('yield to other requests', async () => {
    await using server = await serverWith(300);
    const { clock } = server;
    // Every read of the clock advances it by more than the maximum duration of a turn.
    const monotonic = clock.monotonic.bind(clock);
    let looks = 0;
    clock.monotonic = () => monotonic() + 20 * looks++;
    let turns = 0;
    let done = false;
    const others = (async () => {
      while (!done) {
        turns++;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await server.get(`${path}?pretty=true`);
    done = true;
    await others;
    expect(turns).toBeGreaterThan(10);
  });
});
