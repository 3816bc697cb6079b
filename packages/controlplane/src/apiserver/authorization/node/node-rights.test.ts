import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserInfo } from '../../authentication/authenticator.ts';
import { PlaneUnderTest } from '../../testdata/plane-under-test.ts';

const user = (name: string) =>
  [`token-${name}`, { username: `system:node:${name}`, groups: ['system:nodes'] }] as const;
const ns = '/api/v1/namespaces/default';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
const held = (kind: string, name: string) => ({ apiVersion: 'v1', kind, metadata: { name } });

/** A pod of node `mine` that refers to something of each kind. */
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    nodeName: 'mine',
    serviceAccountName: 'worker',
    imagePullSecrets: [{ name: 'pull' }],
    containers: [
      {
        name: 'c',
        image: 'i',
        env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'env', key: 'a' } } }],
        envFrom: [{ configMapRef: { name: 'env' } }],
      },
    ],
    initContainers: [{ name: 'i', image: 'i', envFrom: [{ secretRef: { name: 'env-from' } }] }],
    volumes: [
      { name: 'a', secret: { secretName: 'volume' } },
      { name: 'b', configMap: { name: 'volume' } },
      { name: 'c', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected' } }] } },
      { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'e', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } },
    ],
  },
};
const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'disk' },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    claimRef: { namespace: 'default', name: 'data' },
    csi: {
      driver: 'd.example.com',
      volumeHandle: 'h',
      nodeStageSecretRef: { namespace: 'default', name: 'stage' },
      controllerPublishSecretRef: { namespace: 'default', name: 'controller' },
    },
  },
};

describe('a node', () => {
  let plane: PlaneUnderTest;
  let uids: Readonly<Record<string, string>>;

  const as =
    (name: string) =>
    async (method: string, path: string, body?: unknown, type = 'application/json') => {
      const headers = { authorization: `Bearer token-${name}`, 'content-type': type };
      const { status, text } = await plane.send(method, path, body, headers);
      const { message = '' } = status >= 400 ? (JSON.parse(text) as { readonly message?: string }) : {};
      return { status, message, text };
    };
  const mine = as('mine');
  const other = as('other');
  const merge = 'application/merge-patch+json';

  beforeAll(async () => {
    plane = await PlaneUnderTest.start({
      tokens: new Map<string, UserInfo>([
        ['admintoken', { username: 'admin', uid: 'admin', groups: ['system:masters'] }],
        user('mine'),
        user('other'),
        ['token-none', { username: 'system:node:', groups: ['system:nodes'] }],
        ['token-alone', { username: 'system:node:mine', groups: [] }],
      ]),
    });
    const secrets = ['pull', 'env', 'env-from', 'volume', 'projected', 'stage', 'controller', 'strange'];
    const made: [string, unknown][] = [
      ...['mine', 'other'].map((name): [string, unknown] => ['/api/v1/nodes', node(name)]),
      ...['worker', 'default', 'idle'].map((name): [string, unknown] => [
        `${ns}/serviceaccounts`,
        held('ServiceAccount', name),
      ]),
      ...secrets.map((name): [string, unknown] => [`${ns}/secrets`, held('Secret', name)]),
      ...['env', 'volume', 'projected', 'strange'].map((name): [string, unknown] => [
        `${ns}/configmaps`,
        held('ConfigMap', name),
      ]),
      ['/api/v1/persistentvolumes', volume],
      [
        `${ns}/persistentvolumeclaims`,
        {
          ...held('PersistentVolumeClaim', 'data'),
          spec: { accessModes: ['ReadWriteOnce'], volumeName: 'disk', resources: { requests: { storage: '1Gi' } } },
        },
      ],
      [`${ns}/pods`, pod],
    ];
    const found: Record<string, string> = {};
    for (const [path, object] of made) {
      const { status, text } = await plane.send('POST', path, object, { 'content-type': 'application/json' });
      expect({ path, status, text: status === 201 ? '' : text }).toEqual({ path, status: 201, text: '' });
      const { kind, metadata } = JSON.parse(text) as {
        readonly kind: string;
        readonly metadata: { readonly name: string; readonly uid: string };
      };
      found[`${kind}/${metadata.name}`] = metadata.uid;
    }
    uids = found;
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    expect(plane.errors).toEqual([]);
  });

  it.each([
    ...['pull', 'env', 'env-from', 'volume', 'projected', 'stage'].map((name) => `${ns}/secrets/${name}`),
    ...['env', 'volume', 'projected'].map((name) => `${ns}/configmaps/${name}`),
    `${ns}/secrets?fieldSelector=metadata.name%3Dvolume`,
    `${ns}/persistentvolumeclaims/data`,
    '/api/v1/persistentvolumes/disk',
    `${ns}/serviceaccounts/worker`,
    `${ns}/pods/web`,
    '/api/v1/pods?fieldSelector=spec.nodeName%3Dmine',
    '/api/v1/nodes/mine',
    '/api/v1/nodes?fieldSelector=metadata.name%3Dmine',
  ])('reads what its pods refer to, and no other node does: %s', async (path) => {
    expect((await mine('GET', path)).status).toBe(200);
    expect((await other('GET', path)).status).toBe(403);
  });

  const unrelated = "no relationship found between node 'mine' and this object";
  it.each([
    [`${ns}/secrets/strange`, unrelated],
    [`${ns}/secrets/controller`, unrelated],
    [`${ns}/configmaps/strange`, unrelated],
    [`${ns}/serviceaccounts/idle`, unrelated],
    [`${ns}/secrets`, 'No Object name found'],
    ['/api/v1/secrets', 'can only read namespaced object of this type'],
    ['/api/v1/secrets?fieldSelector=metadata.name%3Dvolume', 'can only read namespaced object of this type'],
    ['/api/v1/pods', 'can only list/watch pods with spec.nodeName field selector'],
    [
      '/api/v1/pods?fieldSelector=spec.nodeName%21%3Dmine',
      'can only list/watch pods with spec.nodeName field selector',
    ],
    ['/api/v1/nodes/other', "node 'mine' cannot read 'other', only its own Node object"],
    ['/api/v1/nodes', "node 'mine' cannot read all nodes, only its own Node object"],
    [`${leases}/other`, 'can only access node lease with the same name as the requesting node'],
    ['/api/v1/persistentvolumes', 'can only get individual resources of this type'],
  ])('does not read %s', async (path, reason) => {
    const { status, message } = await mine('GET', path);
    expect(status).toBe(403);
    expect(message).toContain(`: ${reason}`);
  });

  it('loses what a pod referred to when that is gone, and gains it with a pod that is bound to it', async () => {
    const late = {
      ...pod,
      metadata: { name: 'late' },
      spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'a', secret: { secretName: 'strange' } }] },
    };
    await plane.send('POST', `${ns}/pods`, late, { 'content-type': 'application/json' });
    expect((await mine('GET', `${ns}/secrets/strange`)).status).toBe(403);
    const target = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'late' },
      target: { kind: 'Node', name: 'mine' },
    };
    expect(
      (await plane.send('POST', `${ns}/pods/late/binding`, target, { 'content-type': 'application/json' })).status,
    ).toBe(201);
    expect((await mine('GET', `${ns}/secrets/strange`)).status).toBe(200);
    expect((await other('GET', `${ns}/secrets/strange`)).status).toBe(403);
    expect(await mine('DELETE', `${ns}/pods/late?gracePeriodSeconds=0`)).toMatchObject({ status: 200, message: '' });
    expect((await mine('GET', `${ns}/secrets/strange`)).status).toBe(403);
  });

  const owner = (extra: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Node',
    name: 'mine',
    uid: uids['Node/mine'],
    controller: true,
    ...extra,
  });
  const mirror = (extra: { readonly metadata?: object; readonly spec?: object } = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'static',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [owner()],
      ...extra.metadata,
    },
    spec: { nodeName: 'mine', containers: [{ name: 'c', image: 'i' }], ...extra.spec },
  });

  it('creates mirror pods of its own', async () => {
    expect(await mine('POST', `${ns}/pods`, mirror())).toMatchObject({ status: 201 });
    expect(await mine('DELETE', `${ns}/pods/static?gracePeriodSeconds=0`)).toMatchObject({ status: 200, message: '' });
  });

  it.each<readonly [why: string, () => { readonly metadata?: object; readonly spec?: object }]>([
    ['can only create mirror pods', () => ({ metadata: { annotations: {} } })],
    ['can only create pods with spec.nodeName set to itself', () => ({ spec: { nodeName: 'other' } })],
    ['can only create pods with an owner reference set to itself', () => ({ metadata: { ownerReferences: [] } })],
    [
      'can only create pods with an owner reference set to itself',
      () => ({ metadata: { ownerReferences: [owner({ name: 'other' })] } }),
    ],
    [
      'can only create pods with a controller owner reference set to itself',
      () => ({ metadata: { ownerReferences: [owner({ controller: false })] } }),
    ],
    [
      'must not set blockOwnerDeletion on an owner reference',
      () => ({ metadata: { ownerReferences: [owner({ blockOwnerDeletion: true })] } }),
    ],
    ['node mine UID mismatch: expected x got ', () => ({ metadata: { ownerReferences: [owner({ uid: 'x' })] } })],
    [
      'can not create pods that reference secrets',
      () => ({ spec: { volumes: [{ name: 'v', secret: { secretName: 'strange' } }] } }),
    ],
    [
      'can not create pods that reference persistentvolumeclaims',
      () => ({ spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] } }),
    ],
  ])('creates no other pods: %s', async (why, extra) => {
    const { status, message } = await mine('POST', `${ns}/pods`, mirror(extra()));
    expect(status).toBe(403);
    expect(message).toContain(why);
  });

  it('writes the status of its own pods, evicts and deletes them, and touches no others', async () => {
    const body = { status: { phase: 'Running' } };
    expect((await mine('PATCH', `${ns}/pods/web/status`, body, merge)).status).toBe(200);
    expect((await other('PATCH', `${ns}/pods/web/status`, body, merge)).message).toContain(
      'node "other" can only update pod status for pods with spec.nodeName set to itself',
    );
    const labels = { metadata: { labels: { app: 'stolen' } } };
    expect((await mine('PATCH', `${ns}/pods/web/status`, labels, merge)).message).toContain(
      'node "mine" cannot update labels through pod status',
    );
    expect((await other('DELETE', `${ns}/pods/web`)).message).toContain(
      'node "other" can only delete pods with spec.nodeName set to itself',
    );
    expect((await mine('PATCH', `${ns}/pods/web`, labels, merge)).status).toBe(403);
    expect((await mine('POST', `${ns}/pods/web/exec?command=sh`)).status).toBe(403);
  });

  it('writes its own Node, without what steers pods to it', async () => {
    const write = (body: object) => mine('PATCH', '/api/v1/nodes/mine', body, merge);
    const labels = (key: string) => ({ metadata: { labels: { [key]: 'x' } } });
    expect((await write(labels('example.com/rack'))).status).toBe(200);
    expect((await write(labels('node.kubernetes.io/x'))).status).toBe(200);
    expect((await write(labels('topology.kubernetes.io/zone'))).status).toBe(200);
    for (const key of [
      'node-restriction.kubernetes.io/x',
      'a.node-restriction.kubernetes.io/x',
      'kubernetes.io/x',
      'x.k8s.io/y',
    ]) {
      expect((await write(labels(key))).message).toContain(`is not allowed to modify labels: ${key}`);
    }
    const taints = [{ key: 'a', effect: 'NoSchedule' }];
    expect((await write({ spec: { taints } })).message).toContain('node "mine" is not allowed to modify taints');
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'other', uid: uids['Node/other'] }];
    expect((await write({ metadata: { ownerReferences } })).message).toContain(
      'is not allowed to modify ownerReferences',
    );
    expect((await mine('PATCH', '/api/v1/nodes/other', labels('a'), merge)).message).toContain(
      'node "mine" is not allowed to modify node "other"',
    );
    expect((await mine('POST', '/api/v1/nodes', node('third'))).message).toContain(
      'node "mine" is not allowed to modify node "third"',
    );
    expect((await mine('PATCH', '/api/v1/nodes/other/status', {}, merge)).message).toContain(
      'node "mine" is not allowed to modify node "other"',
    );
    expect((await mine('DELETE', '/api/v1/nodes/mine')).status).toBe(403);
  });

  it('keeps its own Lease and CSINode only', async () => {
    const lease = (name: string) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } });
    expect((await mine('POST', leases, lease('mine'))).status).toBe(201);
    expect((await mine('POST', leases, lease('other'))).message).toContain(
      'can only access node lease with the same name as the requesting node',
    );
    expect((await mine('POST', leases.replace('kube-node-lease', 'default'), lease('mine'))).status).toBe(403);
    const csiNode = (name: string) => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name },
      spec: { drivers: [] },
    });
    expect((await mine('POST', '/apis/storage.k8s.io/v1/csinodes', csiNode('mine'))).status).toBe(201);
    expect((await mine('POST', '/apis/storage.k8s.io/v1/csinodes', csiNode('other'))).message).toContain(
      'can only access CSINode with the same name as the requesting node',
    );
  });

  it.each<[why: string, spec: () => object, account?: string]>([
    ['node requested token not bound to a pod', () => ({})],
    [
      'node requested token with a pod binding without a uid',
      () => ({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web' } }),
    ],
    [
      'does not match the UID in record',
      () => ({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'x' } }),
    ],
    ['audience "other" not found in pod spec volume', () => ({ boundObjectRef: bound(), audiences: ['other'] })],
    ['node may only request 0 or 1 audiences', () => ({ boundObjectRef: bound(), audiences: ['vault', 'b'] })],
    [unrelated, () => ({ boundObjectRef: bound() }), 'idle'],
  ])('gets no token: %s', async (why, spec, account = 'worker') => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: spec() };
    const { status, message } = await mine('POST', `${ns}/serviceaccounts/${account}/token`, body);
    expect(status).toBe(403);
    expect(message).toContain(why);
  });
  const bound = (): object => ({ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: uids['Pod/web'] });

  it('gets tokens for its pods, for the audiences that they name', async () => {
    for (const audiences of [[], ['vault']]) {
      const body = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { boundObjectRef: bound(), audiences },
      };
      expect((await mine('POST', `${ns}/serviceaccounts/worker/token`, body)).status).toBe(201);
      expect((await other('POST', `${ns}/serviceaccounts/worker/token`, body)).status).toBe(403);
    }
  });

  it('is one only with its name and its group', async () => {
    expect((await as('alone')('GET', `${ns}/secrets/volume`)).status).toBe(403);
    expect((await as('none')('GET', `${ns}/secrets/volume`)).message).toContain('unknown node for user "system:node:"');
  });

  it('asks a question in the same time whatever else there is', async () => {
    const encode = (index: number) => () =>
      Buffer.from(
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `p${index}`, namespace: 'crowd', uid: `${index}` },
          spec: { nodeName: 'other', containers: [], volumes: [{ name: 'v', secret: { secretName: `s${index}` } }] },
        }),
      );
    for (let i = 0; i < 20_000; i++)
      await plane.storage.commit([{ key: `/registry/pods/crowd/p${i}`, expected: 0, encode: encode(i) }]);
    await mine('GET', `${ns}/secrets/volume`);
    const started = performance.now();
    for (let i = 0; i < 200; i++) await mine('GET', `${ns}/secrets/volume`);
    // A walk over 20,000 pods for each would take many times as long.
    expect((performance.now() - started) / 200).toBeLessThan(10);
  });
});
