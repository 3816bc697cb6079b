import { isForbidden, type KubernetesObject } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isExisting } from '../environment/environment.ts';
import { eventually } from '../webhooks/operated-cluster.ts';
import { AggregatedCluster } from './aggregated-cluster.ts';
import type { ServedKind } from './aggregated-server.ts';

const kind: ServedKind = {
  group: 'wells.example.com',
  version: 'v1',
  kind: 'Well',
  plural: 'wells',
  singular: 'well',
  shortNames: ['wl'],
};
const manifest = (name: string) => ({
  apiVersion: 'wells.example.com/v1',
  kind: 'Well',
  metadata: { name },
  spec: { depth: 12 },
});
const PATH = '/apis/wells.example.com/v1/namespaces/default/wells';

// Skipped on the real API server, which would need a Service network on this machine.
describe.skipIf(isExisting())('a group of a second API server', () => {
  let cluster: AggregatedCluster;
  beforeAll(async () => {
    cluster = await AggregatedCluster.start(kind);
    await cluster.createService();
    await cluster.pointServiceTo(await cluster.server.listen());
    await cluster.register();
    const { stdout, stderr } = await cluster.kubectl.run(
      'wait --for=condition=Available apiservice/v1.wells.example.com --timeout=20s',
    );
    expect(stderr).toBe('');
    expect(stdout).toContain('condition met');
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const kubectl = async (command: string, stdin?: string) => cluster.kubectl.run(command, stdin);

  it('appears in both forms of discovery', async () => {
    await eventually('the group is in the aggregated document', async () => {
      const { stdout } = await kubectl('api-resources --api-group=wells.example.com');
      return stdout.includes('Well');
    });
    const { stdout } = await kubectl('api-resources --api-group=wells.example.com');
    expect(stdout.split('\n')[1]?.trim().split(/\s+/)).toEqual(['wells', 'wl', 'wells.example.com/v1', 'true', 'Well']);
    const list = JSON.parse((await kubectl('get --raw /apis')).stdout) as {
      readonly groups: readonly { readonly name: string; readonly versions: readonly object[] }[];
    };
    expect(list.groups.at(-1)).toEqual({
      name: 'wells.example.com',
      versions: [{ groupVersion: 'wells.example.com/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'wells.example.com/v1', version: 'v1' },
    });
    const own = JSON.parse((await kubectl('get --raw /apis/wells.example.com/v1')).stdout) as object;
    expect(own).toMatchObject({ kind: 'APIResourceList', groupVersion: 'wells.example.com/v1' });
  });

  it('is served to kubectl', async () => {
    const made = await kubectl('create -f - --validate=false', JSON.stringify(manifest('deep')));
    expect(made).toMatchObject({ stdout: 'well.wells.example.com/deep created\n', stderr: '', exitCode: 0 });
    expect((await kubectl('get wells -o name')).stdout).toBe('well.wells.example.com/deep\n');
    expect((await kubectl("get wl deep -o jsonpath='{.spec.depth}'")).stdout).toBe('12');
    const absent = await kubectl('get well shallow');
    expect(absent).toMatchObject({
      stderr: 'Error from server (NotFound): wells.wells.example.com "shallow" not found\n',
      exitCode: 1,
    });
  });

  it('receives the identity of the user from the front proxy that it trusts', async () => {
    const { seen } = cluster.server;
    const before = seen.length;
    await kubectl('get wells');
    const asked = seen.slice(before).find(({ url }) => url.startsWith(PATH));
    expect(asked).toMatchObject({ proxy: 'front-proxy-client', groups: ['system:masters', 'system:authenticated'] });
    expect(asked?.headers).toMatchObject({ 'x-remote-user': 'kubernetes-admin', host: 'wells.default.svc:443' });
    expect(asked?.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('never receives identity headers or credentials from the client', async () => {
    const client = await cluster.clientWith({
      'X-Remote-User': 'somebody',
      'X-Remote-Group': 'system:somebodies',
      X_Remote_Uid: '1',
      'X-Remote-Extra-Scopes': 'all',
      'Impersonate-User': 'ann@example.com',
      'Impersonate-Group': ['diggers', 'planners'],
      'Impersonate-Extra-Example.com%2fTeam': 'wéll',
    });
    const before = cluster.server.seen.length;
    await client.request({ method: 'GET', path: PATH }).catch((error: unknown) => expect(error).toSatisfy(isForbidden));
    expect(cluster.server.seen.slice(before).filter(({ url }) => url.startsWith(PATH))).toEqual([]);
    await cluster.put('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'diggers' },
      rules: [{ apiGroups: [kind.group], resources: ['wells'], verbs: ['list'] }],
    });
    await cluster.put('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'diggers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'diggers' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'diggers' }],
    });
    await client.request({ method: 'GET', path: PATH });
    const asked = cluster.server.seen.findLast(({ url }) => url.startsWith(PATH));
    const about = Object.entries(asked?.headers ?? {}).filter(([name]) => /remote|impersonate|authoriz/i.test(name));
    expect(asked?.groups).toEqual(['diggers', 'planners', 'system:authenticated']);
    expect(Object.fromEntries(about)).toEqual({
      'x-remote-user': 'ann@example.com',
      'x-remote-group': 'diggers, planners, system:authenticated',
      'x-remote-extra-example.com%2fteam': Buffer.from('wéll').toString('latin1'),
    });
    await client[Symbol.asyncDispose]();
  });

  it('receives no request that RBAC denies', async () => {
    const before = cluster.server.seen.length;
    const refused = await kubectl('get wells --as=mallory');
    expect(refused.stderr).toBe(
      'Error from server (Forbidden): wells.wells.example.com is forbidden: User "mallory" cannot list resource "wells" in API group "wells.example.com" in the namespace "default"\n',
    );
    const after = cluster.server.seen.slice(before).filter(({ headers }) => headers['x-remote-user'] === 'mallory');
    // Everyone may read discovery.
    expect(after.filter(({ url }) => url.includes('/wells'))).toEqual([]);
  });

  it('receives no path other than the authorized one', async () => {
    const before = cluster.server.seen.length;
    for (const path of [`${PATH}/../../../secrets`, `${PATH}/%2e%2e/secrets`]) {
      await expect(cluster.client.request({ method: 'GET', path })).rejects.toMatchObject({ status: { code: 404 } });
    }
    expect(cluster.server.seen.slice(before).filter(({ url }) => url.includes('secrets'))).toEqual([]);
  });

  it('can switch protocols with a client', async () => {
    const stream = await cluster.upgrade(`${PATH}/deep/echo`);
    stream.setEncoding('utf8');
    stream.write('hello');
    let heard = '';
    for await (const text of stream) {
      heard += text;
      if (heard.endsWith('hello')) break;
    }
    expect(heard).toBe('kubernetes-admin hello');
  });

  describe('a watch on a group of a second API server', () => {
    const watch = async (client: KubernetesClient, signal: AbortSignal) => {
      const events = client
        .resource<KubernetesObject>({ ...kind, scope: 'Namespaced' })
        .watch({ namespace: 'default', resourceVersion: '1', signal });
      return events[Symbol.asyncIterator]();
    };
    /** Waits until the server has this many open watches. */
    const openWatches = (own: number): Promise<void> =>
      eventually(`${own} watches are open`, () => cluster.server.watchCount === own);

    it('streams events, and closes at the other server when the client leaves', async () => {
      const others = cluster.server.watchCount;
      const client = await cluster.clientWith({});
      const abort = new AbortController();
      const events = await watch(client, abort.signal);
      const first = events.next();
      await openWatches(others + 1);
      await kubectl('create -f - --validate=false', JSON.stringify(manifest('watched')));
      expect((await first).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'watched' } } });
      // Sends no further event: the watch must end even while it is silent.
      const next = events.next();
      abort.abort();
      await next.catch(() => undefined);
      await openWatches(others);
      await client[Symbol.asyncDispose]();
    });

    it('ends for the client when the other server breaks the connection', async () => {
      const others = cluster.server.watchCount;
      const client = await cluster.clientWith({});
      const events = await watch(client, new AbortController().signal);
      const first = events.next();
      await openWatches(others + 1);
      cluster.server.breakWatches();
      const end = await first.then(
        ({ done }) => (done ? 'ended' : 'went on'),
        () => 'ended',
      );
      expect(end).toBe('ended');
      await client[Symbol.asyncDispose]();
    });
  });
});
