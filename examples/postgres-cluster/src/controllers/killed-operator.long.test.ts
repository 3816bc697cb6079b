import { Namespace } from '@kubewright/apimachinery/core/v1';
import { type ClientInterceptor, type KubernetesClient, TransportError } from '@kubewright/client';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger as log, Manager } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { healthyPhase } from './cluster-status.ts';
import { primaryAnnotation } from './observe-cluster.ts';
import { postgresCluster } from './postgres-cluster.ts';
import { SimulatedInstances } from './testdata/simulated-instances.ts';

/** Every write in the proof; otherwise one of so many. */
const stride = process.env['KUBEWRIGHT_PROOF'] === '1' ? 1 : 30;
vi.setConfig({ testTimeout: stride === 1 ? 1_800_000 : 300_000 });
const patience = { timeout: 60_000 };
const crd = new URL('../../config/crd/bases/database.db.example.com_postgresclusters.yaml', import.meta.url).pathname;
const reads = new Set(['get', 'list', 'watch']);

/** Lets an operator die at one of its writes: before the API server receives it, or before the response arrives. */
class Death {
  /** Resolves when the operator is dead. */
  readonly happened: Promise<void>;
  readonly #at: number;
  readonly #isSent: boolean;
  #writes = 0;
  #isDead = false;
  #die: () => void = () => undefined;

  constructor(at: number, isSent: boolean) {
    this.#at = at;
    this.#isSent = isSent;
    this.happened = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  get writes(): number {
    return this.#writes;
  }

  readonly interceptor: ClientInterceptor = async (call, next) => {
    if (!this.#isDead && reads.has(call.verb)) return next(call);
    if (!this.#isDead && ++this.#writes !== this.#at) return next(call);
    const isLast = !this.#isDead;
    this.#isDead = true;
    if (isLast && this.#isSent) await next(call);
    this.#die();
    throw new TransportError('KW2003', { what: 'no response', why: 'the operator is dead' });
  };
}

describe('the operator is killed at a write', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: { driver: 'simulated' } });
    client = cluster.client();
    await applyManifests(client, { files: [crd], fieldManager: 'test' });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const startOperator = async (namespace: string, instances: SimulatedInstances, death?: Death): Promise<Manager> => {
    const manager = new Manager({
      controllers: [postgresCluster({ image: 'postgres-instance', instances })],
      client: death ? client.intercepted(death.interceptor) : client,
      namespaces: [namespace],
      gracefulShutdownTimeoutMs: 100,
      log,
      handleSignals: false,
    });
    manager.run().catch(() => undefined); // stopped below
    await manager.started();
    return manager;
  };

  /** Creates a cluster, kills its primary, switches over, and removes a replica, while the operator dies once. Returns its writes. */
  const run = async (namespace: string, death: Death): Promise<number> => {
    const key = { namespace, name: 'shop' };
    const clusters = client.resource(PostgresCluster);
    await client.resource(Namespace).create(Namespace({ metadata: { name: namespace } }));
    const instances = new SimulatedInstances(client, key, { commits: true });
    let manager = await startOperator(namespace, instances, death);
    let restarting: Promise<void> | undefined;
    const restart = async () => {
      await manager[Symbol.asyncDispose]();
      manager = await startOperator(namespace, instances);
    };
    void death.happened.then(() => {
      restarting = restart();
    });
    const state = async () => {
      const { status } = await clusters.get(key);
      return [status?.phase, status?.readyInstances];
    };
    const healthy = (count: number) => expect.poll(state, patience).toEqual([healthyPhase, count]);
    const primary = async () => (await clusters.get(key)).status?.currentPrimary ?? '';
    const spec = { instances: 3, storage: { size: '1Gi' }, replication: { synchronous: 1 } };
    await clusters.create(PostgresCluster({ metadata: key, spec }));
    await healthy(3);
    const killed = await primary();
    await instances.kill(Number(killed.slice(-1)));
    await expect.poll(primary, patience).not.toBe(killed);
    await healthy(3);
    const body = { metadata: { annotations: { [primaryAnnotation]: killed } } };
    await clusters.patch(key, { type: 'merge', body });
    await expect.poll(primary, patience).toBe(killed);
    await healthy(3);
    await clusters.patch(key, { type: 'merge', body: { spec: { instances: 2 } } });
    await healthy(2);
    expect(instances.violations).toEqual([]);
    await restarting;
    await manager[Symbol.asyncDispose]();
    // The node has room for 110 pods.
    await client.resource(Namespace).delete({ name: namespace });
    return death.writes;
  };

  it('converges each time, without two primaries or a lost commit', async ({ annotate }) => {
    const writes = await run('never', new Death(Number.POSITIVE_INFINITY, true));
    expect(writes).toBeGreaterThan(30);
    const deaths = Array.from({ length: writes }, (_, index) => index + 1).filter((at) => at % stride === 1 % stride);
    const runs = deaths.flatMap((at) =>
      [new Death(at, true), new Death(at, false)].map((death, i) => ({ death, at, i })),
    );
    await annotate(`${runs.length} deaths at ${deaths.length} of ${writes} writes`);
    const worker = async () => {
      for (let next = runs.pop(); next; next = runs.pop()) {
        await run(`dies-${next.at}-${next.i}`, next.death).catch((cause: unknown) => {
          const when = next?.i === 0 ? 'after' : 'before';
          throw new Error(`the operator died ${when} write ${next?.at}`, { cause });
        });
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
  });
});
