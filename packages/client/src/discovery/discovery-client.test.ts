import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { failure, json, scripted } from '../testdata/scripted-server.ts';
import { DiscoveryClient } from './discovery-client.ts';

const verbs = ['get', 'list'];
const aggregated = (items: object[]) =>
  json({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items });
const pods = {
  resource: 'pods',
  responseKind: { group: '', version: 'v1', kind: 'Pod' },
  scope: 'Namespaced',
  singularResource: 'pod',
  verbs,
  shortNames: ['po'],
  categories: ['all'],
  subresources: [{ subresource: 'status', verbs: ['get'] }],
};
const modern = (path: string) =>
  path === '/api'
    ? aggregated([{ metadata: {}, versions: [{ version: 'v1', freshness: 'Current', resources: [pods] }] }])
    : aggregated([
        {
          metadata: { name: 'apps' },
          versions: [
            {
              version: 'v1',
              resources: [
                {
                  resource: 'deployments',
                  responseKind: { kind: 'Deployment' },
                  scope: 'Namespaced',
                  singularResource: 'deployment',
                  verbs,
                  shortNames: ['deploy'],
                },
              ],
            },
            {
              version: 'v1beta1',
              resources: [{ resource: 'oldies', responseKind: { kind: 'Oldie' }, scope: 'Cluster', verbs }],
            },
          ],
        },
        {
          metadata: { name: 'metrics.k8s.io' },
          versions: [
            {
              version: 'v1',
              freshness: 'Stale',
              resources: [
                {
                  resource: 'pods',
                  responseKind: { kind: 'PodMetrics' },
                  scope: 'Namespaced',
                  singularResource: '',
                  verbs,
                },
              ],
            },
          ],
        },
      ]);
const legacy = (path: string) => {
  switch (path) {
    case '/api':
      return json({ kind: 'APIVersions', versions: ['v1'] });
    case '/apis':
      return json({
        kind: 'APIGroupList',
        groups: [
          {
            name: 'apps',
            versions: [
              { groupVersion: 'apps/v1beta1', version: 'v1beta1' },
              { groupVersion: 'apps/v1', version: 'v1' },
            ],
            preferredVersion: { version: 'v1' },
          },
          { name: 'broken.io', versions: [{ version: 'v1' }] },
        ],
      });
    case '/api/v1':
      return json({
        groupVersion: 'v1',
        resources: [
          {
            name: 'pods',
            singularName: 'pod',
            namespaced: true,
            kind: 'Pod',
            verbs,
            shortNames: ['po'],
            categories: ['all'],
          },
          { name: 'pods/status', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] },
        ],
      });
    case '/apis/apps/v1':
      return json({
        groupVersion: 'apps/v1',
        resources: [
          {
            name: 'deployments',
            singularName: 'deployment',
            namespaced: true,
            kind: 'Deployment',
            verbs,
            shortNames: ['deploy'],
          },
        ],
      });
    case '/apis/apps/v1beta1':
      return json({
        groupVersion: 'apps/v1beta1',
        resources: [{ name: 'oldies', namespaced: false, kind: 'Oldie', verbs }],
      });
    default:
      return json(failure(503, 'ServiceUnavailable'), 503);
  }
};

for (const [name, answer, requests] of [
  ['aggregated', modern, 2],
  ['legacy', legacy, 6],
] as const) {
  describe(`DiscoveryClient with ${name} discovery`, () => {
    it('finds kinds and resources by name', async () => {
      const { client, seen } = scripted(({ path }) => answer(path));
      const mapper = await client.discovery.mapper();
      expect(mapper.forKind({ group: 'apps', kind: 'Deployment' })).toMatchObject({
        plural: 'deployments',
        version: 'v1',
        scope: 'Namespaced',
      });
      expect(mapper.forKind({ group: 'apps', version: 'v1beta1', kind: 'Oldie' })).toMatchObject({
        scope: 'Cluster',
        singular: 'oldie',
      });
      expect(mapper.forKind({ group: 'apps', version: 'v1', kind: 'Oldie' })).toBeUndefined();
      expect(mapper.forResource({ group: '', resource: 'pods' })?.subresources).toEqual([
        { name: 'status', verbs: ['get'] },
      ]);
      for (const typed of ['po', 'pods', 'Pod', 'pod', 'pods.v1']) expect(mapper.forName(typed)?.kind).toBe('Pod');
      for (const typed of ['deploy', 'deployments.apps', 'deployment.v1.apps'])
        expect(mapper.forName(typed)?.kind).toBe('Deployment');
      expect(mapper.forName('deploy.other')).toBeUndefined();
      expect(seen).toHaveLength(requests);
    });

    it('reads once until invalidated', async () => {
      const { client, seen } = scripted(({ path }) => answer(path));
      await Promise.all([client.discovery.groups(), client.discovery.mapper(), client.discovery.groups()]);
      await client.discovery.mapper();
      expect(seen).toHaveLength(requests);
      client.discovery.invalidate();
      await client.discovery.mapper();
      expect(seen).toHaveLength(2 * requests);
    });

    it('reports a group that does not respond as stale, and keeps the others', async () => {
      const { client } = scripted(({ path }) => answer(path));
      const stale = (await client.discovery.groups()).filter((group) =>
        group.versions.some((version) => version.stale),
      );
      expect(stale).toHaveLength(1);
    });
  });
}

describe('DiscoveryClient', () => {
  it('requests the newest form first', async () => {
    const { client, seen } = scripted(({ path }) => modern(path));
    await client.discovery.groups();
    expect(seen[0]?.headers['accept']).toBe(
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
    );
  });

  it('does not cache a failure', async () => {
    let down = true;
    const { client } = scripted(({ path }) => (down ? json(failure(500, 'InternalError'), 500) : modern(path)));
    await expect(client.discovery.mapper()).rejects.toMatchObject({ httpStatus: 500 });
    down = false;
    expect((await client.discovery.mapper()).forName('po')?.kind).toBe('Pod');
  });

  it('times out an unanswered discovery, and retries on the next call', async () => {
    const clock = new VirtualClock();
    let isSilent = true;
    const discovery = new DiscoveryClient(
      (path) =>
        isSilent && path === '/apis'
          ? new Promise(() => {})
          : Promise.resolve({ kind: 'APIGroupDiscoveryList', items: [] }),
      { clock },
    );
    const failed = expect(discovery.groups()).rejects.toThrow('no response within 32 s');
    await clock.advance(32_000);
    await failed;
    isSilent = false;
    expect(await discovery.groups()).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});
