import { type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { Logger } from '../log/logger.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { FakeApiServer, failure } from '../testdata/fake-api-server.ts';
import { ApiEventRecorder } from './api-event-recorder.ts';

const Event = { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;
const pod: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'shop', uid: 'u1', resourceVersion: '5' },
};

function setUp(log: Logger = silentLogger): { clock: VirtualClock; server: FakeApiServer; recorder: ApiEventRecorder } {
  const clock = new VirtualClock();
  const server = new FakeApiServer([Event], { clock });
  const recorder = new ApiEventRecorder({
    client: server.client,
    clock,
    random: seededRandom(3),
    log,
    host: 'i',
  });
  return { clock, server, recorder };
}

describe('ApiEventRecorder', () => {
  it('writes an event in the format of the API', async () => {
    const { clock, server, recorder } = setUp();
    recorder
      .for('sites', pod)
      .record({ reason: 'Created', note: 'ä'.repeat(2_000), type: 'Warning', action: 'Create' });
    await clock.advance(10);
    expect(server.list(Event)).toHaveLength(1);
    const event = server.list(Event)[0];
    expect(event).toMatchObject({
      metadata: { namespace: 'shop' },
      type: 'Warning',
      reason: 'Created',
      action: 'Create',
      reportingController: 'sites',
      reportingInstance: 'sites-i',
      regarding: { apiVersion: 'v1', kind: 'Pod', name: 'a', namespace: 'shop', uid: 'u1' },
      eventTime: '2026-01-01T00:00:00.000000Z',
    });
    expect(Buffer.byteLength(event.note)).toBeLessThanOrEqual(1_024);
    expect(event.note).not.toContain('\ufffd');
    expect(event.metadata.name).toMatch(/^a\.[0-9a-f]+$/);
  });

  it('names the events of one millisecond in order, and sorts an earlier event before them', async () => {
    const { clock, server, recorder } = setUp();
    const events = recorder.for('sites', pod);
    await clock.advance(5);
    const reasons = ['Scheduled', 'Pulled', 'Created', 'Started', 'Killing'];
    for (const reason of reasons.slice(1)) events.record({ reason, note: '' });
    events.record({ reason: 'Scheduled', note: '', atMs: clock.now() - 1 });
    await clock.advance(10);
    const byName = server.list(Event).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    expect(byName.map(({ reason }) => reason)).toEqual(reasons);
    expect(byName.map(({ eventTime }) => eventTime)).toEqual(byName.map(({ eventTime }) => eventTime).toSorted());
  });

  it('counts equal events in one series, regardless of their text, and limits the events per object', async () => {
    const { clock, server, recorder } = setUp();
    const events = recorder.for('sites', pod);
    for (let i = 0; i < 10; i++) {
      events.record({ reason: 'BackOff', note: `attempt ${i}` });
      await clock.advance(1_000);
    }
    expect(server.list(Event)).toHaveLength(1);
    expect(server.list(Event)[0].series.count).toBe(2);
    await recorder.stop(new AbortController().signal);
    expect(server.list(Event)[0].series.count).toBe(10);

    const other = setUp();
    const noisy = other.recorder.for('sites', pod);
    for (let i = 0; i < 100; i++) noisy.record({ reason: `Reason${i}`, note: '' });
    await other.recorder.stop(new AbortController().signal);
    expect(other.server.list(Event)).toHaveLength(25);
  });

  it('counts events with different series keys separately', async () => {
    const { clock, server, recorder } = setUp();
    const events = recorder.for('sites', pod);
    for (const note of ['one', 'two', 'one']) events.record({ reason: 'Failed', note, series: note });
    await clock.advance(10);
    expect(server.list(Event).map(({ note, series }) => [note, series?.count])).toEqual([
      ['one', 2],
      ['two', undefined],
    ]);
  });

  it('never throws: retries transient errors, drops permanent ones, and drops events without an object', async () => {
    const { clock, server, recorder } = setUp();
    let calls = 0;
    server.interrupt = () => {
      calls++;
      throw calls < 3
        ? failure(500, 'InternalError', 'later')
        : failure(403, 'Forbidden', 'namespace is being terminated');
    };
    recorder.for('sites', pod).record({ reason: 'A', note: 'x' });
    recorder.for('sites', undefined).record({ reason: 'B', note: 'x' });
    await clock.advance(60_000);
    expect(calls).toBe(3);
    await recorder.stop(new AbortController().signal);
  });

  it('warns of rejected events, unless their namespace is being deleted', async () => {
    const levels: string[] = [];
    const log = { ...silentLogger, debug: () => levels.push('debug'), warn: () => levels.push('warn') };
    const { clock, server, recorder } = setUp(log as unknown as Logger);
    for (const causes of [[], [{ reason: 'NamespaceTerminating', message: '', field: '' }]]) {
      server.interrupt = () => {
        throw failure(403, 'Forbidden', 'rejected', { causes });
      };
      recorder.for('sites', pod).record({ reason: `Reason${levels.length}`, note: 'x' });
      await clock.advance(1_000);
    }
    expect(levels).toEqual(['warn', 'debug']);
    await recorder.stop(new AbortController().signal);
  });

  it('writes other events while some cannot be written, and writes the events of one series in order', async () => {
    const { clock, server, recorder } = setUp();
    let atOnce = 0;
    let most = 0;
    let creations = 0;
    const answered: (() => void)[] = [];
    server.interrupt = async ({ method, url }) => {
      if (url.pathname.includes('/bad/')) throw failure(500, 'InternalError', 'no');
      if (method === 'POST') creations++;
      most = Math.max(most, ++atOnce);
      await new Promise<void>((resolve) => answered.push(resolve));
      atOnce--;
      return undefined;
    };
    const bad = { ...pod, metadata: { ...pod.metadata, namespace: 'bad', uid: 'u2' } };
    for (let i = 0; i < 4; i++) recorder.for('sites', bad).record({ reason: `Bad${i}`, note: '' });
    const good = recorder.for('sites', pod);
    for (let i = 0; i < 3; i++) good.record({ reason: 'Good', note: '' });
    await clock.advance(10);
    // The first event of the series is in flight; later events wait for it.
    expect([creations, atOnce]).toEqual([1, 1]);
    answered.shift()!();
    await clock.advance(10);
    expect(server.list(Event)).toHaveLength(1);
    for (let i = 0; i < 20; i++) good.record({ reason: `Good${i}`, note: '' });
    await clock.advance(60_000);
    expect(most).toBe(8);
    const stopped = recorder.stop(new AbortController().signal);
    for (let i = 0; i < 100; i++) {
      for (const answer of answered.splice(0)) answer();
      await clock.advance(10);
    }
    await stopped;
    expect(server.list(Event)).toHaveLength(21);
    expect(server.list(Event).find(({ reason }) => reason === 'Good').series.count).toBe(3);
  });
});
