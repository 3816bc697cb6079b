import { readFileSync } from 'node:fs';
import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { KubernetesClient } from '@kubewright/client';
import { jsonLogger, LeaderElector, type Manager, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProcessClock } from '../../packages/runtime/src/leader-election/testdata/process-clock.ts';
import {
  LeaseServer,
  SimulatedTransport,
} from '../../packages/runtime/src/leader-election/testdata/simulated-network.ts';
import { type MetricFamily, readMetrics } from './metric-families.ts';
import { NoteCluster } from './note-cluster.ts';
import { polled } from './polled.ts';
import { interopManager } from './programs/interop-manager.ts';
import { NoteKind } from './programs/note.ts';

// Compares our behavior with that of controller-runtime 0.25 on Kubernetes 1.36, as recorded by bench/peers/record.mjs. For
// later versions of controller-runtime, record again.

interface Recorded {
  readonly lease: readonly {
    readonly what: string;
    readonly before?: LeaseSpec;
    readonly after: LeaseSpec;
    readonly waitedMs?: number;
  }[];
  readonly objects: { readonly note: unknown; readonly copy: unknown };
  readonly metrics: readonly string[];
  readonly logs: readonly Readonly<Record<string, unknown>>[];
}
type LeaseSpec = Readonly<Record<string, unknown>>;

const recorded: Recorded = JSON.parse(readFileSync(new URL('testdata/go-interop.json', import.meta.url), 'utf8'));

let cluster: NoteCluster;
let manager: Manager;
const lines: Readonly<Record<string, unknown>>[] = [];
let metrics: ReadonlyMap<string, MetricFamily>;

beforeAll(async () => {
  cluster = await NoteCluster.start();
  const namespace = 'interop';
  await cluster.makeNamespace(namespace);
  for (const name of ['a', 'fails']) {
    const metadata = { name, namespace };
    await cluster.client
      .resource(NoteKind)
      .create(
        { apiVersion: 'runtime.example.com/v1', kind: 'Note', metadata, spec: { text: 'hello' } },
        { fieldManager: 'user' },
      );
  }
  let leads = false;
  manager = interopManager({
    namespace,
    identity: 'ours',
    log: jsonLogger({ destination: { write: (line) => lines.push(JSON.parse(line)) } }),
    onLeading: () => {
      leads = true;
    },
    options: { kubeconfig: cluster.kubeconfig, handleSignals: false },
  });
  manager.run().catch(() => {});
  await polled(() => leads, 'it leads');
  const isDone = async (): Promise<boolean> => (await cluster.notes(namespace))[0]?.status?.text === 'hello';
  await polled(isDone, 'the work is done');
  await polled(() => lines.some(({ msg }) => msg === 'Reconciler error'), 'a failure is logged');
  const answer = await fetch(`http://127.0.0.1:${manager.ports.metrics}/metrics`);
  metrics = readMetrics((await answer.text()).split('\n'));
});
afterAll(async () => {
  await manager?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

describe('A lease contested by controller-runtime and Kubewright', () => {
  const specs = recorded.lease.flatMap(({ before, after }) => (before ? [before, after] : [after]));

  it('passes between them, counts each transition, and has the same format from both', () => {
    expect(recorded.lease.map(({ after }) => [after['holderIdentity'], after['leaseTransitions']])).toEqual([
      ['go-1', 0],
      ['kubewright-1', 1],
      ['kubewright-1', 1],
      ['go-2', 2],
      ['kubewright-2', 3],
      ['', 3],
    ]);
    for (const spec of specs) {
      expect(Object.keys(spec).sort()).toEqual(Object.keys(specs[0]!).sort());
      for (const time of ['acquireTime', 'renewTime']) {
        expect(spec[time]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      }
    }
    // After a holder is killed, the successor waits for a whole lease duration.
    expect(recorded.lease.find(({ waitedMs }) => waitedMs)?.waitedMs).toBeGreaterThanOrEqual(3_900);
  });

  it('stays with a Go replica while its record changes, and is taken one lease duration after it stops', async () => {
    const { before = {}, after } = recorded.lease[0]!;
    const base = new VirtualClock();
    const clock = new ProcessClock(base);
    const server = new LeaseServer();
    const write = (spec: LeaseSpec): void => {
      const resourceVersion = String(base.monotonic());
      server.leases.set('notes', { metadata: { name: 'notes', namespace: 'default', resourceVersion }, spec });
    };
    write(before);
    const random = seededRandom(1);
    const transport = new SimulatedTransport({ base, clock, random, server, handedOver: () => {} });
    const client = new KubernetesClient({ transport, clock, random });
    const times = { leaseDurationSeconds: 4, renewDeadlineSeconds: 3, retryPeriodSeconds: 0.4 };
    const elector = new LeaderElector({
      id: 'notes',
      identity: 'ours',
      client,
      clock,
      random,
      log: silentLogger,
      ...times,
    });
    // Our clock is years ahead of the Go program's. An elector that trusts the times in the record would take the lease
    // immediately.
    clock.jumpWall(10 * 365 * 86_400_000);
    const naiveTakes = (): boolean => {
      const { renewTime } = server.leases.get('notes').spec;
      return Date.parse(renewTime) + times.leaseDurationSeconds * 1_000 < clock.now();
    };
    const stop = new AbortController();
    void elector.run(stop.signal, (term) => new Promise((resolve) => term.addEventListener('abort', () => resolve())));
    for (let i = 0; i < 10; i++) {
      await base.advance(2_000);
      write(i % 2 === 0 ? after : before);
      expect([elector.isLeading, naiveTakes()]).toEqual([false, true]);
    }
    await base.advance(3_900);
    expect(elector.isLeading).toBe(false);
    await base.advance(2_500);
    expect(elector.isLeading).toBe(true);
    expect(server.leases.get('notes').spec.leaseTransitions).toBe(1);
    stop.abort();
    await base.advance(1_000);
  });
});

/** Removes everything that differs between any two runs, and sorts the entries of managedFields. */
function normal(object: unknown): unknown {
  const text = JSON.stringify(object, (key, value: unknown) => {
    if (/^(time|uid|resourceVersion|creationTimestamp)$/.test(key)) return undefined;
    if (key !== 'managedFields' || !Array.isArray(value)) return value;
    return (
      value
        // In Go, the field manager that adds a finalizer is named after the program. Ours is named after the user
        // agent.
        .map((entry: { manager: string; operation: string }) =>
          entry.operation === 'Update' ? { ...entry, manager: '' } : entry,
        )
        .sort((a, b) => JSON.stringify(sorted(a)).localeCompare(JSON.stringify(sorted(b))))
    );
  });
  return JSON.parse(text.replaceAll(/k:\{\\+"uid\\+":\\+"[^"\\]+\\+"\}/g, 'k:uid'));
}

function sorted(entry: object): unknown {
  return Object.entries(entry).sort(([a], [b]) => a.localeCompare(b));
}

describe('Objects created by both', () => {
  it('have the same finalizers, and the same fields under the same managers', async () => {
    const { items } = await cluster.client.resource(NoteKind).list({ namespace: 'interop' });
    expect(normal(items[0])).toEqual(normal(recorded.objects.note));
  });

  it('have the same owner reference', async () => {
    const copy = await cluster.client.resource(ConfigMap).get({ namespace: 'interop', name: 'a' });
    expect(normal(copy)).toEqual(normal(recorded.objects.copy));
  });
});

describe('Metrics served by both', () => {
  const theirs = readMetrics(recorded.metrics);

  it.each([...theirs.keys()])('%s', (name) => {
    // HELP lines may differ, because dashboards and alerts do not use them.
    const { help, ...ours } = metrics.get(name) ?? { help: '' };
    expect(help).not.toBe('');
    const { help: _help, ...same } = theirs.get(name)!;
    expect(ours).toEqual(same);
  });
});

describe('Log lines written by both', () => {
  const keysOf = (all: readonly Readonly<Record<string, unknown>>[], msg: string): readonly string[] =>
    Object.keys(all.find((line) => String(line['msg']).toLowerCase() === msg.toLowerCase()) ?? {}).sort();

  it.each(['reconciling', 'Reconciler error', 'Starting workers', 'Successfully acquired lease'])('%s', (msg) => {
    const theirs = keysOf(recorded.logs, msg);
    expect(theirs).toContain('ts');
    // Our log lines also contain the holder's identity and a stable event id.
    expect(keysOf(lines, msg).filter((key) => key !== 'identity' && key !== 'event')).toEqual(theirs);
  });
});
