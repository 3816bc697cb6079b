import { type KubernetesObject, VirtualClock } from '@kubewright/apimachinery';
import { TransportError } from '@kubewright/client';
import { afterEach, describe, expect, it } from 'vitest';
import { defineKind } from '../../kind/define-kind.ts';
import { jsonLogger } from '../../log/json-logger.ts';
import { prettyLogger } from '../../log/pretty-logger.ts';
import { Manager } from '../../manager/manager.ts';
import type { EventNote } from '../../recorder/event-recorder.ts';
import { ReconcileEvents } from '../../recorder/reconcile-events.ts';
import { eventually } from '../../testdata/eventually.ts';
import { FakeApiServer, failure } from '../../testdata/fake-api-server.ts';
import { controller } from '../definition/define-controller.ts';
import { FailureReporter } from './failure-reporter.ts';

const object: KubernetesObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'n' } };
const gone = { isThere: false };
const there = { isThere: true };

function setUp(form: typeof prettyLogger | typeof jsonLogger) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const notes: EventNote[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = form({ destination, now: () => 0 }).with({ controller: 'site', namespace: 'n', name: 'a' });
  const reporter = new FailureReporter({ clock, recordsEvents: true });
  const events = () => {
    const made = new ReconcileEvents(() => ({ record: (note) => void notes.push(note) }));
    made.begin(object);
    return made;
  };
  const fail = (error: unknown, retryInMs?: number, own = events()) =>
    reporter.failed('n/a', { error, log, message: 'Reconciler error', retryInMs, events: own });
  return { clock, lines, notes, log, reporter, events, fail };
}

function errorFrom(message: string, frame: string): Error {
  const error = new TypeError(message);
  error.stack = `TypeError: ${message}\n    at async run (node:internal/x:1:1)\n    at async reconcile (${frame})`;
  return error;
}

describe('FailureReporter', () => {
  it('logs an error in human-readable logs once with its origin, then briefly, then its end', () => {
    const { clock, lines, log, reporter, fail } = setUp(prettyLogger);
    for (let i = 0; i < 8; i++) fail(errorFrom('no such title', '/app/src/site.ts:3:5'), 5 * 2 ** i);
    void clock.advance(1_100);
    fail(errorFrom('no such title', '/app/src/site.ts:3:5'), 1_280);
    reporter.succeeded('n/a', { log, ...there });
    reporter.succeeded('n/a', { log, ...there });
    expect(lines.join('')).toBe(
      [
        '00:00:00.000 ERROR site n/a Reconciler error: TypeError: no such title',
        '    at async reconcile (/app/src/site.ts:3:5)',
        '00:00:00.000 ERROR site n/a still failing: no such title times=9 nextTry=in 1.3 s',
        '00:00:00.000 INFO  site n/a recovered failures=9',
        '',
      ].join('\n'),
    );
  });

  it('logs a different error of the same key in full, and nothing for a deleted object', () => {
    const { lines, log, reporter, fail } = setUp(prettyLogger);
    fail(new Error('one'));
    fail(new Error('two'));
    reporter.succeeded('n/a', { log, ...gone });
    fail(new Error('two'));
    expect(lines.map((line) => line.split('\n')[0]?.slice(26))).toEqual(
      ['n/a Reconciler error: one', 'n/a Reconciler error: two', 'n/a Reconciler error: two'].map((text) =>
        text.slice(2),
      ),
    );
  });

  it('logs every failure in machine-readable logs, with the standard keys', () => {
    const { lines, fail, reporter, log } = setUp(jsonLogger);
    for (let i = 0; i < 3; i++) fail(new Error('no'), 5);
    reporter.succeeded('n/a', { log, ...there });
    const seen = lines.map((line) => JSON.parse(line));
    expect(seen).toHaveLength(3);
    for (const line of seen) {
      expect(line).toMatchObject({ level: 'error', msg: 'Reconciler error', controller: 'site', error: 'no' });
      expect(Object.keys(line).sort()).toEqual(
        ['level', 'ts', 'msg', 'event', 'controller', 'namespace', 'name', 'error', 'stacktrace'].sort(),
      );
    }
  });

  it('records an event for the first of equal failures, unless the reconcile has warned or the server is unreachable', () => {
    const { notes, fail, events } = setUp(prettyLogger);
    fail(new Error('one'));
    fail(new Error('one'));
    const own = events();
    own.record({ type: 'Warning', reason: 'Mine', note: 'x' });
    fail(new Error('two'), undefined, own);
    fail(new TransportError('KW2001', { what: 'no connection' }));
    expect(notes.map((note) => note.reason)).toEqual(['ReconcileError', 'Mine']);
    expect(notes[0]).toEqual({ type: 'Warning', reason: 'ReconcileError', action: 'Reconcile', note: 'one' });
  });
});

describe('a failing reconcile', () => {
  const Site = defineKind<{ readonly a?: string }>({ group: 'example.com', version: 'v1', kind: 'Site' });
  const Event = {
    group: 'events.k8s.io',
    version: 'v1',
    kind: 'Event',
    plural: 'events',
    scope: 'Namespaced',
  } as const;
  const running: Manager[] = [];
  afterEach(async () => {
    for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
  });

  async function failing(options: { readonly errorEvents?: boolean }): Promise<FakeApiServer> {
    const server = new FakeApiServer([Site, Event]);
    server.put(Site, { metadata: { name: 'a' }, spec: {} });
    const lines: string[] = [];
    let runs = 0;
    const reconcile = () => Promise.reject(runs++ < 4 ? new Error('no title') : new Error('later'));
    const sites = controller({ for: Site, reconcile, ...options });
    const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
    const manager = new Manager({
      controllers: [sites],
      client: server.client,
      log,
      handleSignals: false,
      watchdog: false,
    });
    running.push(manager);
    void manager.run();
    await eventually(() => lines.filter((line) => line.includes('later')).length >= 2);
    await manager[Symbol.asyncDispose]();
    return server;
  }

  it('records one event on the object, as a series when the error changes', async () => {
    const server = await failing({});
    expect(server.list(Event)).toEqual([
      expect.objectContaining({
        type: 'Warning',
        reason: 'ReconcileError',
        note: 'no title',
        reportingController: 'site',
        regarding: expect.objectContaining({ kind: 'Site', name: 'a' }),
        series: expect.objectContaining({ count: 2 }),
      }),
    ]);
  });

  it.each([
    ['of versions is not an error: the next attempt sees the new one', undefined, 'info', 0],
    ['over fields that others own is one, with an event', 'FieldManagerConflict', 'error', 1],
  ])('with a conflict %s', async (_, reason, level, events) => {
    const server = new FakeApiServer([Site, Event]);
    server.put(Site, { metadata: { name: 'a' }, spec: {} });
    const lines: string[] = [];
    const causes =
      reason === undefined ? {} : { causes: [{ reason, message: 'conflict with "them"', field: '.spec.a' }] };
    const error = failure(409, 'Conflict', 'the conflict', causes);
    const manager = new Manager({
      controllers: [controller({ for: Site, reconcile: () => Promise.reject(error) })],
      client: server.client,
      log: jsonLogger({ destination: { write: (line) => void lines.push(line) } }),
      handleSignals: false,
      watchdog: false,
    });
    running.push(manager);
    void manager.run();
    const seen = () => lines.filter((line) => line.includes('the conflict'));
    await eventually(() => seen().length >= 2);
    await manager[Symbol.asyncDispose]();
    const record = JSON.parse(seen()[0] ?? '') as Record<string, unknown>;
    expect([record['level'], 'stacktrace' in record]).toEqual([level, level === 'error']);
    expect(server.list(Event)).toHaveLength(events);
  });

  it('records no event if the controller disables them', async () => {
    expect((await failing({ errorEvents: false })).list(Event)).toEqual([]);
  });
});
