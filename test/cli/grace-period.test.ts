import { sleep, VirtualClock } from '@kubewright/apimachinery';
import {
  type ControllerDefinition,
  controller,
  defineKind,
  Manager,
  type Runnable,
  silentLogger,
} from '@kubewright/runtime';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { managerFiles } from '../../packages/cli/src/layout/manager-files.ts';
import { LeaseKind } from '../../packages/runtime/src/leader-election/lease.ts';
import { FakeApiServer } from '../../packages/runtime/src/testdata/fake-api-server.ts';

const Event = { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;
const Site = defineKind<{ readonly size: number }>({ group: 'example.com', version: 'v1', kind: 'Site' });

/** Returns the termination grace period of the manager that `kubewright create` scaffolds, in milliseconds. */
function gracePeriodMs(): number {
  const { text = '' } = managerFiles('shop').find(({ path }) => path === 'config/manager/manager.yaml') ?? {};
  const objects = parseAllDocuments(text).map((document) => document.toJS());
  const { spec } = objects.find(({ kind }) => kind === 'Deployment');
  return spec.template.spec.terminationGracePeriodSeconds * 1_000;
}

/** A manager with default timeouts whose reconcile is running and ignores the stop signal. */
class DeafManager {
  readonly clock = new VirtualClock();
  readonly server = new FakeApiServer([Site, LeaseKind, Event], { clock: this.clock });
  readonly #stop = new AbortController();
  #stoppedAtMs = 0;
  /** Time from the stop signal until the manager ended, in milliseconds. */
  endedMs: number | undefined;
  /** Time from the stop signal until the manager released its lease, in milliseconds. */
  releasedMs: number | undefined;

  async start(runnables: readonly Runnable[] = []): Promise<void> {
    let isReconciling = false;
    const sites: ControllerDefinition = controller({
      for: Site,
      reconcile: async () => {
        isReconciling = true;
        await sleep(this.clock, { ms: 3_600_000 });
      },
    });
    this.server.put(Site, { metadata: { name: 'a' }, spec: { size: 1 } });
    const manager = new Manager({
      client: this.server.client,
      clock: this.clock,
      log: silentLogger,
      handleSignals: false,
      signal: this.#stop.signal,
      watchdog: false,
      leaderElection: { id: 'shop', namespace: 'default' },
      controllers: [sites],
      runnables,
    });
    const ended = (): void => {
      this.endedMs = this.clock.monotonic() - this.#stoppedAtMs;
    };
    manager.run().then(ended, ended);
    while (!isReconciling) await this.#pass();
  }

  /** Stops the manager and waits for its end, for up to ten minutes of virtual time. */
  async stop(): Promise<void> {
    this.#stoppedAtMs = this.clock.monotonic();
    this.#stop.abort();
    for (let step = 0; step < 2_400 && this.endedMs === undefined; step++) {
      await this.#pass();
      if (this.releasedMs === undefined && this.server.get(LeaseKind, 'shop').spec.holderIdentity === '') {
        this.releasedMs = this.clock.monotonic() - this.#stoppedAtMs;
      }
    }
  }

  async #pass(): Promise<void> {
    await this.clock.advance(250);
    await new Promise(setImmediate);
  }
}

const deaf = (clock: VirtualClock, name: string, needLeaderElection: boolean): Runnable => ({
  name,
  needLeaderElection,
  run: () => sleep(clock, { ms: 3_600_000 }),
});

describe('terminationGracePeriodSeconds of a new project', () => {
  it('lets a manager release its lease if a reconcile ignores its signal', async () => {
    const manager = new DeafManager();
    await manager.start();
    await manager.stop();
    expect(manager.releasedMs).toBeGreaterThan(0);
    expect(manager.releasedMs).toBeLessThan(gracePeriodMs());
    expect(manager.endedMs).toBeLessThan(gracePeriodMs());
  });

  it('lets a manager exit on its own if all runnables ignore the signal and the API server does not respond', async () => {
    const manager = new DeafManager();
    const { clock, server } = manager;
    await manager.start([deaf(clock, 'leading', true), deaf(clock, 'everywhere', false)]);
    server.interrupt = ({ method }) => (method === 'GET' ? undefined : new Promise(() => {}));
    await manager.stop();
    // The manager used up the shutdown timeout and the waits after it.
    expect(manager.endedMs).toBeGreaterThan(30_000);
    // Enough time remains for the kubelet and for the start of the shutdown.
    expect(manager.endedMs).toBeLessThan(gracePeriodMs() - 5_000);
  });
});
