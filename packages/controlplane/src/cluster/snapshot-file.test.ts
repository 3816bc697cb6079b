import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@kubewright/apimachinery';
import { ConfigMap, Event } from '@kubewright/apimachinery/core/v1';
import { afterAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

const root = mkdtempSync(join(tmpdir(), 'kw-snapshot-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const namespace = 'default';
const clock = systemClock;

/** Runs an API server on a folder of objects. */
async function withCluster<T>(data: string, use: (cluster: EmbeddedCluster) => Promise<T>): Promise<T> {
  await using cluster = await EmbeddedCluster.start({ data, components: ['apiserver'] });
  return await use(cluster);
}

async function contents(cluster: EmbeddedCluster): Promise<Readonly<Record<string, string | undefined>>> {
  const { items } = await cluster.client().resource(ConfigMap).list({ namespace });
  return Object.fromEntries(items.map(({ metadata, data }) => [metadata.name, data?.['text']?.slice(0, 3)]));
}

describe('the file of a snapshot', () => {
  it('restores a folder, including a new one', { timeout: 60_000 }, async () => {
    const [data, other, file] = [join(root, 'data'), join(root, 'other'), join(root, 'snapshots', 'one')];
    const map = (name: string, text: string): Parameters<typeof ConfigMap>[0] => ({
      metadata: { name, namespace },
      data: { text },
    });
    await withCluster(data, async (cluster) => {
      const maps = cluster.client().resource(ConfigMap);
      // Together, these objects exceed the size limit of one commit.
      for (const name of ['a', 'b', 'c']) await maps.create(ConfigMap(map(name, 'x'.repeat(700_000))));
      const event = { involvedObject: { kind: 'Pod', name: 'p', namespace }, reason: 'Test', message: 'ü' };
      await cluster
        .client()
        .resource(Event)
        .create(Event({ metadata: { name: 'e', namespace }, ...event }));
    });
    const saved = await EmbeddedCluster.saveSnapshot({ data, file, clock });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(root, 'snapshots'))).toEqual(['one']);
    await withCluster(data, async (cluster) => {
      const maps = cluster.client().resource(ConfigMap);
      for (const name of ['a', 'b']) await maps.update(ConfigMap(map(name, 'changed')));
      await maps.delete({ namespace, name: 'c' });
      await maps.create(ConfigMap(map('new', 'new')));
    });
    for (const folder of [data, other]) {
      expect(await EmbeddedCluster.loadSnapshot({ data: folder, file, clock })).toEqual(saved);
      await withCluster(folder, async (cluster) => {
        expect(await contents(cluster)).toEqual({ a: 'xxx', b: 'xxx', c: 'xxx' });
        const { message } = await cluster.client().resource(Event).get({ namespace, name: 'e' });
        expect(message).toBe('ü');
      });
    }
  });

  it('is rejected if it is missing, damaged or of an unknown format', async () => {
    const [data, file] = [join(root, 'empty'), join(root, 'damaged')];
    const load = () => EmbeddedCluster.loadSnapshot({ data, file, clock });
    await expect(load()).rejects.toMatchObject({ code: 'KW5506', why: 'the file does not exist' });
    writeFileSync(file, '');
    await expect(load()).rejects.toMatchObject({ why: 'the file is empty' });
    writeFileSync(file, '{"kind":"List"}\n');
    await expect(load()).rejects.toMatchObject({
      why: 'this version of Kubewright does not support the format of the file',
    });
    const whole = readFileSync(join(root, 'snapshots', 'one'), 'utf8');
    writeFileSync(file, whole.slice(0, whole.lastIndexOf('\n', whole.length - 2) + 1));
    await expect(load()).rejects.toMatchObject({
      why: expect.stringMatching(/^the file contains only \d+ of \d+ objects$/),
    });
    writeFileSync(file, whole.slice(0, -100));
    await expect(load()).rejects.toMatchObject({ code: 'KW5506' });
    expect(readdirSync(root)).not.toContain('empty');
    const save = EmbeddedCluster.saveSnapshot({ data, file: join(root, 'none'), clock });
    await expect(save).rejects.toMatchObject({ code: 'KW5506', why: 'the folder contains no stored objects' });
  });
});
