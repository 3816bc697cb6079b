import { spawnSync } from 'node:child_process';
import { Namespace, Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { TestOperator, toMatch } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Redis } from './api/v1alpha1/redis.ts';
import { redis } from './redis.ts';
import { sendCommand } from './send-command.ts';

// The default is too short for a busy machine.
vi.setConfig({ testTimeout: 60_000 });
const waitOptions = { timeoutMs: 40_000 };
const namespace = 'conf42-init';
const key = { namespace, name: 'redis-cache' };
// With KUBEWRIGHT_REQUIRE_ALL=1, the test fails if the program is missing.
const maySkip = process.env['KUBEWRIGHT_REQUIRE_ALL'] !== '1';
const isMissing = maySkip && spawnSync('redis-server', ['-v']).status !== 0;
const file = (path: string) => new URL(`../config/${path}`, import.meta.url).pathname;

describe.skipIf(isMissing)('redis (needs redis-server on the PATH)', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  let operator: TestOperator;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: {} });
    client = cluster.client();
    await applyManifests(client, { files: [file('crd/bases/cache.acme.io_redis.yaml')], fieldManager: 'test' });
    operator = await TestOperator.start(client, { controllers: [redis] });
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const status = async () => (await client.resource(Redis).get(key)).status;
  const say = async (name: string | undefined, command: string) => {
    const pod = await client.resource(Pod).get({ namespace, name: name ?? '' });
    return sendCommand(pod.status?.podIP ?? '', command, { signal: AbortSignal.timeout(5_000) });
  };

  it('replicates to new servers, and promotes another when the primary dies, without losing data', async () => {
    await client.resource(Namespace).create(Namespace({ metadata: { name: namespace } }));
    await applyManifests(client, { files: [file('samples/redis-cache.yaml')], fieldManager: 'test' });
    await operator.eventually(status, toMatch({ replicas: 2 }), waitOptions);
    const first = (await status())?.primary;
    await say(first, 'SET greeting hello');
    await client.resource(Redis).patch(key, { type: 'merge', body: { spec: { size: 4 } } });
    await operator.eventually(status, toMatch({ primary: first, replicas: 3 }), waitOptions);
    await operator.eventually(() => say('redis-cache-3', 'GET greeting'), toMatch('hello'), waitOptions);
    const [, id] = /^process_id:(\d+)/m.exec(await say(first, 'INFO server')) ?? [];
    process.kill(Number(id), 'SIGKILL');
    await operator.eventually(
      async () => (await status())?.primary,
      (found) => expect(found).not.toBe(first),
      waitOptions,
    );
    await operator.eventually(status, toMatch({ replicas: 3 }), waitOptions);
    expect(await say((await status())?.primary, 'GET greeting')).toBe('hello');
    await operator.eventually(() => say(first, 'GET greeting'), toMatch('hello'), waitOptions);
    await expect(say(first, 'SET greeting bye')).rejects.toThrow('READONLY');
  });
});
