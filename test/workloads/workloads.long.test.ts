// Compares the embedded cluster with the states that the control plane of Kubernetes 1.36.3 reached, recorded by
// `node test/workloads/record.mjs`.
import { readdirSync, readFileSync } from 'node:fs';
import { StatusError, sleep, systemClock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createNode, refreshNode } from '../../packages/controlplane/src/controllers/testdata/player.mjs';
import { runExample } from './example.mjs';

const folder = new URL('testdata/manifests/', import.meta.url);
const examples = readdirSync(folder).map((file) => file.replace('.yaml', ''));
const recorded = JSON.parse(readFileSync(new URL('testdata/recorded.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, object>
>;

describe('workload manifests', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  let heartbeat: ReturnType<typeof setInterval> | undefined;

  const call = async (method: string, path: string, body?: unknown, type = 'application/json') => {
    try {
      const headers = { accept: 'application/json', 'content-type': type };
      return { status: 200, json: await client.request({ method, path, body, headers }) };
    } catch (error) {
      if (error instanceof StatusError) return { status: error.httpStatus, json: error.status };
      throw error;
    }
  };

  beforeAll(async () => {
    cluster = await EmbeddedCluster.start();
    client = cluster.client();
    await createNode(call);
    // Sends heartbeats, because the node lifecycle controller considers a silent node unreachable.
    heartbeat = setInterval(() => void refreshNode(call).catch(() => {}), 5_000);
  });
  afterAll(async () => {
    clearInterval(heartbeat);
    await cluster?.[Symbol.asyncDispose]();
  });

  it('number at least sixty', () => {
    expect(examples.length).toBeGreaterThanOrEqual(60);
    expect(Object.keys(recorded)).toEqual(examples);
  });

  it.concurrent.for(examples)(
    'reach the state that they reach on a real control plane: %s',
    async (name, { expect }) => {
      const documents = parseAllDocuments(readFileSync(new URL(`${name}.yaml`, folder), 'utf8')).map((each) =>
        each.toJS(),
      );
      await runExample(documents, {
        call,
        namespace: `kw-${name}`,
        pause: () => sleep(systemClock, { ms: 50 }),
        settled: (read) => expect.poll(read, { timeout: 30_000, interval: 100 }).toEqual(recorded[name]),
      });
    },
  );
});
