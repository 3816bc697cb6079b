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

/** The operator crashes at every `stride`-th write: at each write in `npm run proof`, otherwise at every 30th. */
const stride = process.env['KUBEWRIGHT_PROOF'] === '1' ? 1 : 30;
vi.setConfig({ testTimeout: stride === 1 ? 1_800_000 : 300_000 });
const patience = { timeout: 60_000 };
const crd = new URL('../../config/crd/bases/database.db.example.com_postgresclusters.yaml', import.meta.url).pathname;
const reads = new Set(['get', 'list', 'watch']);

/** Crashes an operator at one of its writes: before the API server receives the write, or before the operator gets the response. */
class Crash {
  /** Resolves when the operator has crashed. */
  readonly happened: Promise<void>;
  readonly #at: number;
  readonly #isSent: boolean;
  #writes = 0;
  #hasCrashed = false;
  #crash: () => void = () => undefined;

  constructor(at: number, isSent: boolean) {
    this.#at = at;
    this.#isSent = isSent;
    this.happened = new Promise((resolve) => {
      this.#crash = resolve;
    });
  }

  get writes(): number {
    return this.#writes;
  }

  readonly interceptor: ClientInterceptor = async (call, next) => {
    if (!this.#hasCrashed && reads.has(call.verb)) return next(call);
    if (!this.#hasCrashed && ++this.#writes !== this.#at) return next(call);
    const isLast = !this.#hasCrashed;
    this.#hasCrashed = true;
    if (isLast && this.#isSent) await next(call);
    this.#crash();
    throw new TransportError('KW2003', { what: 'no response', why: 'the operator has crashed' });
  };
}

describe('postgresCluster, killed at a write', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: { driver: 'simulated' } });
    client = cluster.client();
    await applyManifests(client, { files: [crd], fieldManager: 'test' });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const startOperator = async (namespace: string, instances: SimulatedInstances, crash?: Crash): Promise<Manager> => {
    const manager = new Manager({
      controllers: [postgresCluster({ image: 'postgres-instance', instances })],
      client: crash ? client.intercepted(crash.interceptor) : client,
      namespaces: [namespace],
      gracefulShutdownTimeoutMs: 100,
      log,
      handleSignals: false,
    });
    manager.run().catch(() => undefined); // stopped below
    await manager.started();
    return manager;
  };

  /**
   * Creates a cluster, kills its primary, switches over, and removes a replica. Meanwhile, the operator crashes and restarts once.
   * Returns how many writes it made before the crash.
   */
  const run = async (namespace: string, crash: Crash): Promise<number> => {
    const key = { namespace, name: 'shop' };
    const clusters = client.resource(PostgresCluster);
    await client.resource(Namespace).create(Namespace({ metadata: { name: namespace } }));
    const instances = new SimulatedInstances(client, key, { commits: true });
    let manager = await startOperator(namespace, instances, crash);
    let restarting: Promise<void> | undefined;
    const restart = async () => {
      await manager[Symbol.asyncDispose]();
      manager = await startOperator(namespace, instances);
    };
    void crash.happened.then(() => {
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
    // Makes room for the next runs: the node accepts only 110 pods.
    await client.resource(Namespace).delete({ name: namespace });
    return crash.writes;
  };

  it('converges without two primaries or a lost commit', async ({ annotate }) => {
    const writes = await run('never', new Crash(Number.POSITIVE_INFINITY, true));
    expect(writes).toBeGreaterThan(30);
    const crashes = Array.from({ length: writes }, (_, index) => index + 1).filter((at) => at % stride === 1 % stride);
    const runs = crashes.flatMap((at) =>
      [new Crash(at, true), new Crash(at, false)].map((crash, i) => ({ crash, at, i })),
    );
    await annotate(`${runs.length} crashes at ${crashes.length} of ${writes} writes`);
    const worker = async () => {
      for (let next = runs.pop(); next; next = runs.pop()) {
        await run(`crash-${next.at}-${next.i}`, next.crash).catch((cause: unknown) => {
          const when = next?.i === 0 ? 'after' : 'before';
          throw new Error(`the operator crashed ${when} write ${next?.at}`, { cause });
        });
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
  });
});
