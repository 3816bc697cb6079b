import {
  type KubernetesObject,
  StatusError,
  type StatusReason,
  type Stored,
  VirtualClock,
} from '@kubewright/apimachinery';
import { TransportError, type WatchEvent } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { type ChangesOptions, changesOf } from './changes.ts';

type Resource = Parameters<typeof changesOf>[0];

const object = (resourceVersion: string) =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', uid: 'u', resourceVersion } }) as Stored<KubernetesObject>;
const modified = (resourceVersion: string) => ({ type: 'MODIFIED' as const, object: object(resourceVersion) });
const bookmark = (resourceVersion: string) => ({
  type: 'BOOKMARK' as const,
  object: { metadata: { resourceVersion } },
});
const rejection = (code: number, reason: StatusReason) =>
  new StatusError({ apiVersion: 'v1', kind: 'Status', status: 'Failure', metadata: {}, code, reason, message: reason });
const lost = new TransportError('KW2003', { what: 'the connection was lost' }, { retryable: true });

/** Serves lists at version 7, and one script per watch: its events, then its end or an error. The last watch stays open. */
function serverWith(...watches: (readonly (object | Error)[])[]) {
  const calls: string[] = [];
  const resource = {
    list: async () => {
      calls.push('list');
      return { items: [object('5')], metadata: { resourceVersion: '7' } };
    },
    watch: async function* ({ resourceVersion }: { readonly resourceVersion: string }) {
      calls.push(`watch ${resourceVersion}`);
      for (const each of watches.shift() ?? []) {
        if (each instanceof Error) throw each;
        yield each as WatchEvent<KubernetesObject>;
      }
      if (watches.length === 0) await new Promise(() => undefined);
    },
  };
  return { calls, resource: resource as unknown as Resource };
}

/** Reads changes in the background. */
function read(resource: Resource, signal = new AbortController().signal) {
  const clock = new VirtualClock();
  const seen: string[] = [];
  const retried: unknown[] = [];
  const options: ChangesOptions = { namespace: 'shop', clock, signal, onRetry: (error) => retried.push(error) };
  const ended = (async () => {
    for await (const change of changesOf(resource, options)) {
      seen.push(`${change.type} ${change.object.metadata.resourceVersion}`);
    }
  })();
  ended.catch(() => undefined);
  return { clock, seen, retried, ended };
}

describe('changesOf', () => {
  it('yields the objects of the list, then each change after it', async () => {
    const { calls, resource } = serverWith([modified('8'), bookmark('20'), modified('21')]);
    const { clock, seen } = read(resource);
    await clock.advance(0);
    expect(seen).toEqual(['FOUND 5', 'MODIFIED 8', 'MODIFIED 21']);
    expect(calls).toEqual(['list', 'watch 7']);
  });

  it('resumes an ended watch at the version that it reached, after a pause', async () => {
    const { calls, resource } = serverWith([bookmark('20')], [modified('21')]);
    const { clock, seen, retried } = read(resource);
    await clock.advance(799);
    expect(calls).toEqual(['list', 'watch 7']);
    await clock.advance(1);
    expect(calls).toEqual(['list', 'watch 7', 'watch 20']);
    expect(seen.at(-1)).toBe('MODIFIED 21');
    expect(retried).toEqual([]);
  });

  it('doubles the pause until a watch delivers an event', async () => {
    const { calls, resource } = serverWith([], [], [modified('8')], []);
    const { clock } = read(resource);
    await clock.advance(800);
    await clock.advance(1_599);
    expect(calls).toHaveLength(3);
    await clock.advance(1);
    expect(calls).toHaveLength(4);
    await clock.advance(800);
    expect(calls.at(-1)).toBe('watch 8');
  });

  it('reports a lost connection and continues', async () => {
    const { calls, resource } = serverWith([modified('8'), lost], [modified('9')]);
    const { clock, seen, retried } = read(resource);
    await clock.advance(800);
    expect(retried).toEqual([lost]);
    expect(calls).toEqual(['list', 'watch 7', 'watch 8']);
    expect(seen).toEqual(['FOUND 5', 'MODIFIED 8', 'MODIFIED 9']);
  });

  it('lists again if the server no longer keeps the version', async () => {
    const gone = rejection(410, 'Expired');
    const { calls, resource } = serverWith([{ type: 'ERROR', error: gone, object: gone.status }], []);
    const { clock, retried } = read(resource);
    await clock.advance(800);
    expect(calls).toEqual(['list', 'watch 7', 'list', 'watch 7']);
    expect(retried).toEqual([gone]);
  });

  it('ends with an error that retries do not fix', async () => {
    const forbidden = rejection(403, 'Forbidden');
    const { resource } = serverWith([forbidden], []);
    await expect(read(resource).ended).rejects.toBe(forbidden);
  });

  it('ends if even the first list fails', async () => {
    const { resource } = serverWith([]);
    const unreachable = { ...resource, list: () => Promise.reject(lost) };
    await expect(read(unreachable).ended).rejects.toBe(lost);
  });

  it("ends with the signal's reason during a pause", async () => {
    const stop = new AbortController();
    const { clock, ended } = read(serverWith([], []).resource, stop.signal);
    await clock.advance(100);
    stop.abort('interrupted');
    await expect(ended).rejects.toBe('interrupted');
  });
});
