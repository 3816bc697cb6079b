import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

const core = (namespace: string, resource: string) => `/api/v1/namespaces/${namespace}/${resource}`;

describe('LimitRanger', () => {
  let plane: PlaneUnderTest;
  let namespaces = 0;
  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  /** Creates a namespace with limits. */
  async function limited(...limits: readonly object[]): Promise<string> {
    const name = `limited-${namespaces++}`;
    await plane.send('POST', '/api/v1/namespaces', { metadata: { name } });
    await plane.send('POST', core(name, 'serviceaccounts'), { metadata: { name: 'default' } });
    const made = await plane.send('POST', core(name, 'limitranges'), {
      metadata: { name: 'limits' },
      spec: { limits },
    });
    expect(made.status).toBe(201);
    return name;
  }

  async function create(namespace: string, spec: object, resource = 'pods') {
    const { status, text } = await plane.send('POST', core(namespace, resource), { metadata: { name: 'p' }, spec });
    return { status, object: JSON.parse(text) };
  }

  const container = (resources: object = {}, name = 'c') => ({ name, image: 'i', resources });
  const refused = (text: string) => ({ status: 403, object: { message: `pods "p" is forbidden: ${text}` } });

  it('sets missing requests and limits of containers, and records this in an annotation', async () => {
    const namespace = await limited({
      type: 'Container',
      default: { cpu: '500m', memory: '512Mi' },
      defaultRequest: { cpu: '100m' },
    });
    const { object } = await create(namespace, {
      containers: [
        container(),
        container({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } }, 'full'),
      ],
      initContainers: [container({ requests: { cpu: '50m' } }, 'init')],
    });
    expect(object.spec.containers.map(({ resources }: { resources: object }) => resources)).toEqual([
      { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '100m', memory: '512Mi' } },
      { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
    ]);
    expect(object.spec.initContainers[0].resources.requests.cpu).toBe('50m');
    expect(object.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c; memory request for init container init; cpu, memory limit for init container init',
    });
  });

  it('lets validation reject a pod without containers', async () => {
    const namespace = await limited({ type: 'Container', default: { cpu: '500m' } });
    for (const containers of [null, undefined, []]) {
      const { status, object } = await create(namespace, { containers, initContainers: null });
      expect([status, object.message]).toEqual([422, expect.stringContaining('spec.containers: Required value')]);
    }
  });

  it('rejects containers outside the limits', async () => {
    const namespace = await limited({
      type: 'Container',
      min: { cpu: '100m' },
      max: { cpu: '1' },
      maxLimitRequestRatio: { cpu: '2' },
    });
    const one = (resources: object) => create(namespace, { containers: [container(resources)] });
    expect(await one({ requests: { cpu: '50m' }, limits: { cpu: '80m' } })).toMatchObject(
      refused('minimum cpu usage per Container is 100m, but request is 50m'),
    );
    expect(await one({ requests: { cpu: '1' }, limits: { cpu: '2' } })).toMatchObject(
      refused('maximum cpu usage per Container is 1, but limit is 2'),
    );
    expect(await one({ requests: { cpu: '200m' }, limits: { cpu: '500m' } })).toMatchObject(
      refused('cpu max limit to request ratio per Container is 2, but provided ratio is 2.500000'),
    );
    expect((await one({ requests: { cpu: '200m' }, limits: { cpu: '400m' } })).status).toBe(201);
  });

  it('rejects pods whose total is outside the limits', async () => {
    const namespace = await limited({ type: 'Pod', max: { memory: '1Gi' } });
    const half = (name: string) => container({ limits: { memory: '600Mi' } }, name);
    expect(await create(namespace, { containers: [half('a'), half('b')] })).toMatchObject(
      refused('maximum memory usage per Pod is 1Gi, but limit is 1200Mi'),
    );
    expect(await create(namespace, { containers: [container()] })).toMatchObject(
      refused('maximum memory usage per Pod is 1Gi.  No limit is specified'),
    );
    expect((await create(namespace, { containers: [half('a')], initContainers: [half('b')] })).status).toBe(201);
  });

  it('rejects claims outside the limits', async () => {
    const namespace = await limited({
      type: 'PersistentVolumeClaim',
      min: { storage: '1Gi' },
      max: { storage: '2Gi' },
    });
    const claim = (storage: string) =>
      create(
        namespace,
        { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
        'persistentvolumeclaims',
      );
    expect(await claim('3Gi')).toMatchObject({
      status: 403,
      object: {
        message:
          'persistentvolumeclaims "p" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
      },
    });
    expect((await claim('2Gi')).status).toBe(201);
    expect((await create(namespace, { containers: [container()] })).status).toBe(201);
  });
});
