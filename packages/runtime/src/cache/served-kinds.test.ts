import { type Kind, type KubernetesObject, VirtualClock } from '@kubewright/apimachinery';
import type { ApiGroup } from '@kubewright/client/internal';
import { describe, expect, it } from 'vitest';
import { ServedKinds } from './served-kinds.ts';

const Thing: Kind<KubernetesObject> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};

function group(name: string, version: string, kinds: Record<string, string>, stale = false): ApiGroup {
  const resources = Object.entries(kinds).map(([kind, plural]) => ({ group: name, version, kind, plural }));
  return { name, versions: [{ version, stale, resources }] } as unknown as ApiGroup;
}
const core = group('', 'v1', { Pod: 'pods' });
const apps = group('apps', 'v1', { Deployment: 'deployments' });

function served(answer: () => readonly ApiGroup[]) {
  const clock = new VirtualClock();
  let readings = 0;
  let kept: Promise<readonly ApiGroup[]> | undefined;
  const read = async (): Promise<readonly ApiGroup[]> => {
    readings++;
    return answer();
  };
  const discovery = {
    groups: () => (kept ??= read()),
    invalidate: () => {
      kept = undefined;
    },
  };
  const kinds = new ServedKinds({ discovery, clock });
  const isAbsent = (): Promise<boolean> => kinds.isAbsent(Thing, new AbortController().signal);
  return { clock, isAbsent, readings: () => readings };
}

describe('ServedKinds', () => {
  it('reports a kind as absent if its group, version or resource is missing', async () => {
    for (const groups of [
      [core, apps],
      [core, group('example.com', 'v2', { Thing: 'things' })],
      [core, group('example.com', 'v1', { Other: 'others' })],
    ]) {
      expect(await served(() => groups).isAbsent()).toBe(true);
    }
  });

  it('does not report a kind as absent if it is served, has another plural, or its group does not respond', async () => {
    for (const groups of [
      [core, group('example.com', 'v1', { Thing: 'things' })],
      [core, group('example.com', 'v1', { Thing: 'thingses' })],
      [core, group('example.com', 'v1', {}, true)],
    ]) {
      expect(await served(() => groups).isAbsent()).toBe(false);
    }
  });

  it('does not trust incomplete or failed discovery', async () => {
    for (const groups of [
      [],
      [core],
      [apps],
      [group('', 'v1', {}), apps],
      [group('', 'v1', { Pod: 'pods' }, true), apps],
    ])
      expect(await served(() => groups).isAbsent()).toBe(false);
    const failing = served(() => {
      throw new Error('404');
    });
    expect(await failing.isAbsent()).toBe(false);
  });

  it('refreshes discovery for later checks and shares one result between concurrent checks', async () => {
    const { clock, isAbsent, readings } = served(() => [core, apps]);
    await Promise.all([isAbsent(), isAbsent(), isAbsent()]);
    expect(readings()).toBe(1);
    await clock.advance(5_000);
    await isAbsent();
    expect(readings()).toBe(2);
  });
});
