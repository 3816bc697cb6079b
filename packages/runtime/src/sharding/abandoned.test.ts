import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import type { Partition } from '../controller/definition/partition.ts';
import type { ReconcileRequest } from '../handler/event-handler.ts';
import { defineKind } from '../kind/define-kind.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { sharded } from './sharded.ts';

const Site = defineKind<{ readonly domain: string }>({ group: 'example.com', version: 'v1', kind: 'Site' });

/** A partition that owns all keys, and tracks which keys are being worked on. */
class AllKeys implements Partition {
  readonly running: string[] = [];
  readonly #left = new Set<string>();

  /** Keys that were released at least once. */
  get left(): readonly string[] {
    return [...this.#left].sort();
  }

  owns(): boolean {
    return true;
  }

  enter({ name }: ReconcileRequest) {
    this.running.push(name);
    const leave = (): void => {
      this.running.splice(this.running.indexOf(name), 1);
      this.#left.add(name);
    };
    return { isOwned: true, [Symbol.dispose]: leave };
  }

  subscribe(): Disposable {
    return { [Symbol.dispose]() {} };
  }
}

describe('a sharded controller', () => {
  it('releases a key when its reconcile ends or is abandoned', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site], { clock });
    for (const name of ['fails', 'hangs', 'works'])
      server.put(Site, { metadata: { name, namespace: 'default' }, spec: { domain: name } });
    const begun: string[] = [];
    const sites = controller({
      for: Site,
      maxConcurrentReconciles: 3,
      reconcileTimeoutMs: 60_000,
      async reconcile({ metadata: { name } }) {
        begun.push(name);
        if (name === 'hangs') await new Promise(() => {});
        if (name === 'fails') throw new Error('it fails');
      },
    });
    const partition = new AllKeys();
    await using manager = new Manager({
      client: server.client,
      controllers: [sharded(sites, partition)],
      clock,
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
      gracefulShutdownTimeoutMs: 0,
    });
    manager.run().catch(() => {});
    await eventually(() => begun.length === 3 && partition.running.length === 1);
    expect(partition.running).toEqual(['hangs']);
    await clock.advance(60_000);
    expect([partition.left, partition.running]).toEqual([['fails', 'works'], ['hangs']]);
    await clock.advance(10_000);
    await eventually(() => partition.left.includes('hangs'), 'the key is let go');
  });
});
