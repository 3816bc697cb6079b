import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Event, Pod } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeCluster, startNodeCluster } from './testdata/node-cluster.ts';
import { makeReady } from './testdata/ready-namespace.ts';

const namespace = 'default';

describe('loaded images', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-loaded-'));
  const imageFile = join(folder, 'kubewright-images.json');
  let cluster: NodeCluster;
  beforeAll(async () => {
    cluster = await startNodeCluster(undefined, { imageFile });
    await makeReady(cluster.admin, namespace);
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const create = (name: string, image: string, more: object = {}): Promise<Pod> =>
    cluster.admin.resource(Pod).create(
      Pod({
        metadata: { name, namespace },
        spec: { restartPolicy: 'Never', containers: [{ name: 'c', image, ...more }] },
      }),
    );
  const get = (name: string): Promise<Pod> => cluster.admin.resource(Pod).get({ namespace, name });
  const messages = async (): Promise<readonly string[]> =>
    (await cluster.admin.resource(Event).list({ namespace })).items.map(({ message = '' }) => message);
  const logOf = async (name: string): Promise<string> => {
    const options = { container: 'c', follow: false, previous: false, timestamps: false };
    const signal = new AbortController().signal;
    let text = '';
    for await (const piece of await cluster.node.connector.logs(await get(name), { ...options, signal })) {
      text += Buffer.from(piece).toString('utf8');
    }
    return text;
  };

  it('run the program of their tag, and fail for a tag that is not loaded', async () => {
    const entryOf = (version: string) => {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, 'main.mjs'), `console.log('this is ${version}')`);
      return { like: 'node', folder: `./${version}`, command: ['node', `./${version}/main.mjs`] };
    };
    const entries = { 'shop:0.1': entryOf('0.1'), 'shop:0.2': entryOf('0.2'), wrong: { run: 'x' } };
    writeFileSync(imageFile, JSON.stringify(entries), { mode: 0o644 });
    await create('old', 'shop:0.1');
    await create('new', 'shop:0.2');
    await create('neither', 'shop:0.3');
    await create('bad', 'wrong');
    for (const [name, version] of [
      ['old', '0.1'],
      ['new', '0.2'],
    ] as const) {
      await expect.poll(async () => (await get(name)).status?.phase, { timeout: 30_000 }).toBe('Succeeded');
      expect(await logOf(name)).toMatch(new RegExp(`^this is ${version}$`, 'm'));
    }
    const reason = async () => (await get('neither')).status?.containerStatuses?.[0]?.state?.waiting?.reason;
    await expect.poll(reason, { timeout: 30_000 }).toMatch(/ErrImagePull|ImagePullBackOff/);
    const why =
      /Failed to pull image "shop:0.3": image "shop:0.3" is not loaded on this node: loaded tags are shop:0.1, shop:0.2/;
    await expect.poll(messages, { timeout: 30_000 }).toContainEqual(expect.stringMatching(why));
    const wrong = /Failed to pull image "wrong": .*"wrong" has the unknown field "run"; valid fields are/;
    await expect.poll(messages, { timeout: 30_000 }).toContainEqual(expect.stringMatching(wrong));
  });

  it("report that a pod's command replaces their own", async () => {
    await create('replaced', 'shop:0.1', { command: ['echo', 'mine'] });
    await expect.poll(async () => (await get('replaced')).status?.phase, { timeout: 30_000 }).toBe('Succeeded');
    expect(await logOf('replaced')).toMatch(/^\[kubewright\] shop: running the pod's command \(echo mine\) instead of/);
    const note = /; the pod's command overrides the image's command \(node .*main\.mjs\)$/;
    await expect.poll(messages, { timeout: 30_000 }).toContainEqual(expect.stringMatching(note));
  });

  it.each([
    ['python:3', ['python', '-c', 'print("hello", 6 * 7)'], 'hello 42'],
    ['alpine:3.22', ['sh', '-c', 'echo hello $((6 * 7))'], 'hello 42'],
    ['ubuntu:24.04', ['bash', '-c', 'echo hello $((6 * 7))'], 'hello 42'],
    ['debian', ['bash', '-c', 'echo hello $((6 * 7))'], 'hello 42'],
  ])('are not needed for %s', async (image, command, expected) => {
    const name = image.replace(/:.*/, '');
    await create(name, image, { command });
    const phase = async () => (await get(name)).status?.phase;
    await expect.poll(phase, { timeout: 30_000 }).toBe('Succeeded');
    expect(await logOf(name)).toContain(`\n${expected}\n`);
  });
});
