import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { controller, Manager, ShardMembership, sharded, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoteCluster } from './note-cluster.ts';
import { polled } from './polled.ts';
import { NoteKind } from './programs/note.ts';

let cluster: NoteCluster;
beforeAll(async () => {
  cluster = await NoteCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

// Not covered here: replicas that are suspended or disconnected; see shard-membership.model.test.ts.

const names = Array.from({ length: 40 }, (_, i) => `note-${i}`);

/** Tracks which replica is working on each key, and which worked on it last. */
class Worked {
  readonly twice: string[] = [];
  readonly last = new Map<string, string>();
  readonly #now = new Map<string, string>();

  begin(name: string, by: string): void {
    const other = this.#now.get(name);
    if (other) this.twice.push(`${by} began ${name} while ${other} was at it`);
    this.#now.set(name, by);
  }

  end(name: string, by: string): void {
    this.#now.delete(name);
    this.last.set(name, by);
  }
}

interface ReplicaOptions {
  readonly namespace: string;
  readonly worked: Worked;
  readonly divides?: boolean;
}

function replica(by: string, options: ReplicaOptions): Manager {
  const { namespace, worked, divides = true } = options;
  const copies = controller({
    for: NoteKind,
    name: 'copies',
    caches: [ConfigMap],
    maxConcurrentReconciles: 4,
    async reconcile(note, ctx) {
      const { name } = note.metadata;
      worked.begin(name, by);
      try {
        const data = { text: note.spec.text, by };
        await ctx.apply(ConfigMap({ metadata: { name }, data }) satisfies ConfigMap);
      } finally {
        worked.end(name, by);
      }
      return { requeueAfterMs: 150 };
    },
  });
  const shards = new ShardMembership({
    id: 'notes',
    client: () => cluster.client,
    namespace,
    leaseDurationSeconds: 4,
    renewDeadlineSeconds: 3,
    retryPeriodSeconds: 0.3,
    log: silentLogger,
  });
  const manager = new Manager({
    client: cluster.client,
    namespaces: [namespace],
    controllers: [divides ? sharded(copies, shards) : copies],
    runnables: divides ? [shards] : [],
    log: silentLogger,
    handleSignals: false,
    watchdog: false,
  });
  manager.run().catch(() => {});
  return manager;
}

describe('Two replicas with the same notes', () => {
  it('divide the keys, hand them over when one leaves, and never work on one at the same time', {
    timeout: 90_000,
  }, async () => {
    const namespace = 'shared';
    await cluster.makeNamespace(namespace);
    for (const name of names) await cluster.writeNote(namespace, 'text', name);
    const worked = new Worked();
    const shares = (): Record<string, number> => {
      const count: Record<string, number> = {};
      for (const by of worked.last.values()) count[by] = (count[by] ?? 0) + 1;
      return count;
    };
    const one = replica('one', { namespace, worked });
    await polled(() => shares()['one'] === names.length, 'the first replica does all the work');
    const two = replica('two', { namespace, worked });
    try {
      await polled(() => (shares()['two'] ?? 0) > 8, 'the second replica gets its share');
      worked.last.clear();
      await polled(() => worked.last.size === names.length, 'every note is reconciled by some replica');
      const divided = new Map(worked.last);
      expect(shares()['one']).toBeGreaterThan(8);
      worked.last.clear();
      await polled(() => worked.last.size === names.length, 'every note is worked on once more');
      expect(new Map(worked.last)).toEqual(divided);
    } finally {
      await one[Symbol.asyncDispose]();
    }
    await polled(() => shares()['two'] === names.length, 'the one that stays does all the work');
    await two[Symbol.asyncDispose]();
    expect(worked.twice).toEqual([]);
  });

  it('work on the same note at the same time without sharding', { timeout: 90_000 }, async () => {
    const namespace = 'not-shared';
    await cluster.makeNamespace(namespace);
    for (const name of names) await cluster.writeNote(namespace, 'text', name);
    const worked = new Worked();
    await using _one = replica('one', { namespace, worked, divides: false });
    await using _two = replica('two', { namespace, worked, divides: false });
    await polled(() => worked.twice.length > 0, 'two are at work on one');
  });
});
