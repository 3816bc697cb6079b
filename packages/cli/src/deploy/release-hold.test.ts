import { type UnstructuredObject, VirtualClock } from '@kubewright/apimachinery';
import type { ResourceClient } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import type { Reporter } from '../program/reporter.ts';
import { CleanupHold } from './cleanup-hold.ts';
import { releaseHold } from './release-hold.ts';

const crd: UnstructuredObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'notes.example.com' },
};

const note = (name: string): UnstructuredObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Note',
  metadata: { namespace: 'default', name, finalizers: ['kubewright.dev/uninstall'] },
});

/** Releases the objects of a fake resource on a virtual clock. Returns the warnings and the elapsed time. */
async function release(resource: {
  readonly list: (options: {
    readonly signal: AbortSignal;
  }) => Promise<{ readonly items: readonly UnstructuredObject[] }>;
  readonly patch?: (key: { readonly name: string }) => Promise<unknown>;
}): Promise<{ readonly warnings: readonly string[]; readonly ms: number }> {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const reporter = {
    step: (...words: readonly string[]) => void warnings.push(words.join(' ')),
  } as unknown as Reporter;
  const { signal } = new AbortController();
  const hold = new CleanupHold(resource as unknown as ResourceClient<UnstructuredObject>, { clock, signal });
  const start = clock.monotonic();
  let ended: number | undefined;
  const released = releaseHold(hold, { crd, reporter, namespace: undefined }).then(() => {
    ended = clock.monotonic();
  });
  while (ended === undefined) await clock.advance(50);
  await released;
  return { warnings, ms: ended - start };
}

describe('releaseHold', () => {
  it('retries longer than a short outage of the API server', async () => {
    let calls = 0;
    const { warnings } = await release({
      list: async () => {
        if (calls++ < 12) throw new Error('connect ECONNREFUSED 127.0.0.1:6443');
        return { items: [] };
      },
    });
    expect(calls).toBe(13);
    expect(warnings).toEqual([]);
  });

  it('lists the objects that keep the finalizer, why, and how to remove it', async () => {
    let patches = 0;
    const { warnings, ms } = await release({
      list: async () => ({ items: [note('a'), note('b')] }),
      patch: async ({ name }) => {
        patches++;
        if (name === 'b') throw new Error('a webhook rejects the change');
      },
    });
    expect(warnings).toEqual([
      'finalizer remains default/b: cannot remove kubewright.dev/uninstall: a webhook rejects the change; retry kubewright uninstall, or remove it with kubectl edit notes.example.com b -n default bad',
    ]);
    expect(ms).toBe(15_000);
    expect(patches).toBeLessThan(40);
  });

  it('reports that the API server does not respond', async () => {
    const { warnings, ms } = await release({
      list: ({ signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    expect(warnings).toEqual([
      'finalizers remain cannot list notes.example.com to remove kubewright.dev/uninstall: the API server did not respond within 15 s; retry kubewright uninstall once the API server can be reached bad',
    ]);
    expect(ms).toBe(15_000);
  });
});
