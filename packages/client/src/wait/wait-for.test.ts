import { describe, expect, it } from 'vitest';
import { ConfigMapKind, configMap, failure, json, scripted } from '../testdata/scripted-server.ts';
import { TransportError } from '../transport/transport-error.ts';
import { hasCondition } from './conditions.ts';

const key = { namespace: 'shop', name: 'web' };
const list = (version: string, ...items: object[]) =>
  json({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: version }, items });

type Step = () => ReturnType<typeof json>;

/** Responds to each request with the next step, and fails on requests after the last step. */
function stepwise(...steps: Step[]) {
  return scripted(() => {
    const step = steps.shift();
    if (!step) throw new Error('an unexpected request');
    return step();
  });
}

const watch =
  (...events: (readonly [string, object] | Error)[]): Step =>
  () => ({
    status: 200,
    headers: {},
    body: (async function* () {
      for (const event of events) {
        if (event instanceof Error) throw event;
        yield Buffer.from(`${JSON.stringify({ type: event[0], object: event[1] })}\n`);
      }
    })(),
  });

const version = (resourceVersion: string, data: Record<string, string> = {}) => ({
  ...configMap('web', { resourceVersion }),
  data,
});
const isDone = (object: { readonly data?: Readonly<Record<string, string>> }): boolean =>
  object.data?.['done'] === 'yes';
const lost = (): Error => new TransportError('KW2003', { what: 'lost' }, { retryable: true });

describe('waitFor', () => {
  it('returns the current state without a watch if it satisfies the condition', async () => {
    const { client, seen } = stepwise(() => list('7', version('5', { done: 'yes' })));
    const object = await client.resource(ConfigMapKind).waitFor(key, isDone);
    expect(object).toMatchObject({ kind: 'ConfigMap', metadata: { resourceVersion: '5' } });
    expect(seen.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/shop/configmaps?fieldSelector=metadata.name%3Dweb',
    ]);
  });

  it('waits for an object that does not exist yet, starting at the version of the list', async () => {
    const { client, seen } = stepwise(
      () => list('7'),
      watch(['ADDED', version('8')], ['MODIFIED', version('9', { done: 'yes' })]),
    );
    const object = await client.resource(ConfigMapKind).waitFor(key, isDone);
    expect(object.metadata.resourceVersion).toBe('9');
    expect(seen[1]?.path).toContain('&resourceVersion=7');
  });

  it('keeps waiting when the object is deleted and created again', async () => {
    const again = version('10', { done: 'yes' });
    const { client } = stepwise(
      () => list('7', version('5')),
      watch(['DELETED', version('9', { done: 'yes' })], ['ADDED', again]),
    );
    expect((await client.resource(ConfigMapKind).waitFor(key, isDone)).metadata.resourceVersion).toBe('10');
  });

  it('resumes at the last version seen after the watch ended or was lost', async () => {
    const { client, seen, clock } = stepwise(
      () => list('7'),
      watch(['ADDED', version('8')], ['BOOKMARK', { metadata: { resourceVersion: '20' } }]),
      watch(lost()),
      watch(['MODIFIED', version('30', { done: 'yes' })]),
    );
    const waiting = client.resource(ConfigMapKind).waitFor(key, isDone);
    await clock.advance(2_000);
    await clock.advance(4_000);
    expect((await waiting).metadata.resourceVersion).toBe('30');
    expect(seen.slice(2).map(({ path }) => /resourceVersion=(\d+)/.exec(path)?.[1])).toEqual(['20', '20']);
  });

  it('lists again if the server no longer keeps the version', async () => {
    const { client, seen, clock } = stepwise(
      () => list('7'),
      watch(['ERROR', failure(410, 'Expired')]),
      () => list('50', version('45', { done: 'yes' })),
    );
    const waiting = client.resource(ConfigMapKind).waitFor(key, isDone);
    await clock.advance(2_000);
    expect((await waiting).metadata.resourceVersion).toBe('45');
    expect(seen[2]?.path).not.toContain('watch');
  });

  it('rejects with the error that the condition throws, and with that of a forbidden read', async () => {
    const { client } = stepwise(() => list('7', version('5')));
    const broken = (): boolean => {
      throw new Error('the job failed');
    };
    await expect(client.resource(ConfigMapKind).waitFor(key, broken)).rejects.toThrow('the job failed');
    const denied = stepwise(() => json(failure(403, 'Forbidden'), 403));
    await expect(denied.client.resource(ConfigMapKind).waitFor(key, isDone)).rejects.toMatchObject({
      reason: 'Forbidden',
    });
  });

  it('rejects with the reason of its signal, during a watch and between two watches', async () => {
    const stop = new AbortController();
    const { client, clock } = stepwise(() => list('7'), watch());
    const waiting = client.resource(ConfigMapKind).waitFor(key, isDone, { signal: stop.signal });
    await clock.advance(1);
    stop.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
  });
});

describe('waitForDeletion', () => {
  it('waits for the deletion, or for another object with that name', async () => {
    const { client } = stepwise(
      () => list('7', version('5')),
      watch(['MODIFIED', version('8')], ['DELETED', version('9')]),
    );
    await client.resource(ConfigMapKind).waitForDeletion(key);
    const other = { ...version('9'), metadata: { ...version('9').metadata, uid: 'another' } };
    const recreated = stepwise(() => list('10', other));
    await recreated.client.resource(ConfigMapKind).waitForDeletion(key, { uid: 'uid-web' });
  });
});

describe('hasCondition', () => {
  const object = (status: object, generation = 2) => ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 'x', generation },
    status,
  });
  const ready = { type: 'Ready', status: 'True' };

  it('compares type and status, and ignores conditions of older generations', () => {
    const isReady = hasCondition('ready');
    expect(isReady(object({ conditions: [ready] }))).toBe(true);
    expect(isReady(object({}))).toBe(false);
    expect(isReady(object({ conditions: [{ ...ready, status: 'False' }] }))).toBe(false);
    expect(hasCondition('Ready', 'False')(object({ conditions: [{ ...ready, status: 'False' }] }))).toBe(true);
    expect(isReady(object({ conditions: [{ ...ready, observedGeneration: 1 }] }))).toBe(false);
    expect(isReady(object({ conditions: [{ ...ready, observedGeneration: 2 }] }))).toBe(true);
    expect(isReady(object({ observedGeneration: 1, conditions: [ready] }))).toBe(false);
  });
});
