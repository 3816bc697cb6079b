import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { KubernetesClient } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { requestController } from '../controller/definition/define-controller.ts';
import type { KeyShare, Partition } from '../controller/definition/partition.ts';
import type { ReconcileRequest } from '../handler/event-handler.ts';
import { ProcessClock } from '../leader-election/testdata/process-clock.ts';
import { LeaseServer, SimulatedTransport } from '../leader-election/testdata/simulated-network.ts';
import { jsonLogger } from '../log/json-logger.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { ShardMembership } from './shard-membership.ts';
import { sharded } from './sharded.ts';

const definition = requestController({ name: 'buckets', async reconcile() {} });

/** A partition with keys chosen by the test. */
class ChosenKeys implements Partition {
  readonly mine = new Set<string>();
  #handler: (share: KeyShare) => void = () => {};

  owns({ name }: ReconcileRequest): boolean {
    return this.mine.has(name);
  }

  enter() {
    return { isOwned: true, [Symbol.dispose]() {} };
  }

  subscribe(handler: (share: KeyShare) => void): Disposable {
    this.#handler = handler;
    return {
      [Symbol.dispose]: () => {
        this.#handler = () => {};
      },
    };
  }

  gain(name: string): void {
    this.mine.add(name);
    this.#handler((request) => this.owns(request));
  }
}

describe('sharded', () => {
  it('rejects a request controller without a key list', () => {
    expect(() => sharded(definition, new ChosenKeys())).toThrow(
      expect.objectContaining({ code: 'KW3041', message: expect.stringContaining('buckets') }),
    );
  });

  it('reconciles listed keys that it newly owns', async () => {
    const partition = new ChosenKeys();
    partition.mine.add('a');
    const { sources = [] } = sharded(definition, partition, { keys: async () => [{ name: 'a' }, { name: 'b' }] });
    const asked: string[] = [];
    const stop = new AbortController();
    const clock = new VirtualClock();
    const context = {
      primary: undefined,
      primaryUid: () => undefined,
      enqueue: ({ name }: ReconcileRequest) => void asked.push(name),
    };
    const options = { signal: stop.signal, clock, random: seededRandom(1), log: silentLogger };
    for (const source of sources) await source.start(context, options);
    expect(asked).toEqual(['a']);
    partition.gain('b');
    await eventually(() => asked.length === 3);
    expect(asked).toEqual(['a', 'a', 'b']);
    stop.abort();
    partition.gain('a');
    expect(asked).toHaveLength(3);
  });
});

describe('ShardMembership', () => {
  it('reports every intermediate share: none after an expired membership, and a smaller share while others own keys', async () => {
    const base = new VirtualClock();
    const server = new LeaseServer();
    const stops = [new AbortController(), new AbortController()] as const;
    const join = (seed: number, stop: AbortController) => {
      const clock = new ProcessClock(base, { rate: 1 });
      const random = seededRandom(seed);
      const transport = new SimulatedTransport({ base, clock, random, server, handedOver: () => {} });
      const client = new KubernetesClient({ transport, clock, random });
      const shards = new ShardMembership({ id: 'shards', client: () => client, clock, random, log: silentLogger });
      void shards.run(stop.signal);
      return { shards, way: transport.way };
    };
    const keys = Array.from({ length: 20 }, (_, at) => ({ name: `key-${at}` }));
    const { shards, way } = join(1, stops[0]);
    const shares: KeyShare[] = [];
    shards.subscribe((share) => shares.push(share));
    const denied = () => keys.filter((key) => !shares.every((gives) => gives(key)));
    await base.advance(40_000);
    expect(keys.every((key) => shards.owns(key))).toBe(true);
    shares.length = 0;
    way.loss = 1;
    await base.advance(30_000);
    way.loss = 0;
    await base.advance(40_000);
    expect(keys.every((key) => shards.owns(key))).toBe(true);
    expect(denied()).toEqual(keys);
    shares.length = 0;
    const { shards: other } = join(2, stops[1]);
    await base.advance(40_000);
    const theirs = keys.filter((key) => other.owns(key));
    expect(theirs.length).toBeGreaterThan(0);
    stops[1].abort();
    await base.advance(40_000);
    expect(keys.every((key) => shards.owns(key))).toBe(true);
    expect(denied()).toEqual(theirs);
    stops[0].abort();
    await base.advance(5_000);
  });

  it('reports a reconcile that keeps a key from its new owner in readiness and log, and reports its end', async () => {
    const base = new VirtualClock();
    const server = new LeaseServer();
    const stop = new AbortController();
    const lines: string[] = [];
    const join = (seed: number): ShardMembership => {
      const clock = new ProcessClock(base, { rate: 1 });
      const random = seededRandom(seed);
      const transport = new SimulatedTransport({ base, clock, random, server, handedOver: () => {} });
      const client = new KubernetesClient({ transport, clock, random });
      const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
      const shards = new ShardMembership({ id: 'shards', client: () => client, clock, random, log });
      void shards.run(stop.signal);
      return shards;
    };
    const keys = Array.from({ length: 20 }, (_, at) => ({ name: `key-${at}` }));
    const first = join(1);
    await base.advance(10_000);
    const entries = new Map(keys.map((key) => [key, first.enter(key)]));
    const second = join(2);
    await base.advance(10_000);
    expect(() => first.check()).not.toThrow();
    expect(keys.filter((key) => second.owns(key))).toEqual([]);
    const held = keys.filter((key) => !first.owns(key));
    expect(held.length).toBeGreaterThan(1);
    await base.advance(20_000);
    expect(() => first.check()).toThrow(/the reconcile of key-\d+ \(and \d+ more\) has delayed the handover/);
    expect(lines.filter((line) => line.includes('"warn"'))).toHaveLength(held.length);
    const [one] = held;
    entries.get(one!)![Symbol.dispose]();
    await base.advance(5_000);
    // Keys move one at a time; this key moves although the other reconciles have not ended.
    expect(keys.filter((key) => second.owns(key))).toEqual([one]);
    for (const entry of entries.values()) entry[Symbol.dispose]();
    await base.advance(5_000);
    expect(keys.filter((key) => second.owns(key))).toEqual(held);
    expect(() => first.check()).not.toThrow();
    expect(lines.filter((line) => line.includes('"info"'))).toHaveLength(held.length);
    stop.abort();
    await base.advance(5_000);
  });
});
