import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNotFound } from '@kubewright/apimachinery';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import {
  Event,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type PodSpec,
  ServiceAccount,
} from '@kubewright/apimachinery/core/v1';
import { StorageClass } from '@kubewright/apimachinery/storage/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

const namespace = 'volumes';
const timeout = 15_000;
const onNode = { 'volume.kubernetes.io/selected-node': 'kubewright' };
type ClaimSpec = NonNullable<PersistentVolumeClaim['spec']>;

describe('local volumes', () => {
  let cluster: EmbeddedCluster;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: {} });
    await cluster
      .client()
      .resource(Namespace)
      .create(Namespace({ metadata: { name: namespace } }));
    const accounts = async () => (await cluster.client().resource(ServiceAccount).list({ namespace })).items.length;
    await vi.waitFor(async () => expect(await accounts()).toBe(1), { timeout });
  });
  afterAll(() => cluster.stop());

  const claims = () => cluster.client().resource(PersistentVolumeClaim);
  const claimNow = (name: string) => claims().get({ namespace, name });
  const volumeOf = async (name: string) => {
    const { volumeName = '' } = (await claimNow(name)).spec ?? {};
    return cluster.client().resource(PersistentVolume).get({ name: volumeName });
  };
  const pathOf = async (name: string) => (await volumeOf(name)).spec?.local?.path ?? '';
  const createClaim = (name: string, spec: Partial<ClaimSpec> = {}, annotations: Record<string, string> = {}) =>
    claims().create(
      PersistentVolumeClaim({
        metadata: { name, namespace, annotations },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
      }),
    );
  const isBound = (name: string) =>
    expect.poll(async () => (await claimNow(name)).status?.phase, { timeout }).toBe('Bound');
  const gone = (get: () => Promise<unknown>) =>
    expect
      .poll(
        () =>
          get().then(
            () => 'found',
            (error) => (isNotFound(error) ? 'gone' : error),
          ),
        { timeout },
      )
      .toBe('gone');
  const eventsOf = async (name: string) => {
    const { items } = await cluster.client().resource(Event).list({ namespace });
    return items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ reason, message }) => `${reason}: ${message}`);
  };
  async function run(name: string, line: string, spec: Partial<PodSpec>): Promise<void> {
    const pods = cluster.client().resource(Pod);
    const [container] = spec.containers ?? [];
    const shell = { ...container, name: 'c', image: 'busybox', command: ['sh', '-c', line] };
    const podSpec: PodSpec = { restartPolicy: 'Never', ...spec, containers: [shell] };
    await pods.create(Pod({ metadata: { name, namespace }, spec: podSpec }));
    await expect.poll(async () => (await pods.get({ namespace, name })).status?.phase, { timeout }).toBe('Succeeded');
    await pods.delete({ namespace, name });
    await gone(() => pods.get({ namespace, name }));
  }
  const mounting = (claimName: string, mount: object = {}): Partial<PodSpec> => ({
    containers: [{ name: 'c', volumeMounts: [{ name: 'data', mountPath: '/data', ...mount }] }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  });

  it('keep the data of a claim until the claim is deleted', async () => {
    await createClaim('kept');
    await run('writer', 'echo first > /data/file', mounting('kept'));
    await isBound('kept');
    const volume = await volumeOf('kept');
    const path = await pathOf('kept');
    expect(volume.spec).toMatchObject({ storageClassName: 'standard', persistentVolumeReclaimPolicy: 'Delete' });
    expect(readFileSync(join(path, 'file'), 'utf8')).toBe('first\n');
    await run('reader', 'grep first /data/file && mkdir /data/below', mounting('kept'));
    await run('below', 'echo second > /data/file', mounting('kept', { subPath: 'below' }));
    expect(readFileSync(join(path, 'below', 'file'), 'utf8')).toBe('second\n');
    await claims().delete({ namespace, name: 'kept' });
    await gone(() => cluster.client().resource(PersistentVolume).get({ name: volume.metadata.name }));
    expect(existsSync(path)).toBe(false);
  });

  it('grow, but only if their class allows it', async () => {
    await createClaim('growing');
    await run('user', 'true', mounting('growing'));
    await isBound('growing');
    const grow = (storage: string) =>
      claims().patch(
        { namespace, name: 'growing' },
        { type: 'merge', body: { spec: { resources: { requests: { storage } } } } },
      );
    await grow('3Gi');
    await expect
      .poll(async () => (await claimNow('growing')).status, { timeout })
      .toEqual({
        phase: 'Bound',
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '3Gi' },
        allocatedResources: { storage: '3Gi' },
      });
    expect((await volumeOf('growing')).spec?.capacity).toEqual({ storage: '3Gi' });
    expect(await eventsOf('growing')).toEqual(
      expect.arrayContaining([
        'ExternalExpanding: waiting for an external controller to expand this PVC',
        expect.stringMatching(/^Resizing: External resizer is resizing volume pvc-/),
        'VolumeResizeSuccessful: Resize volume succeeded',
      ]),
    );
    await expect(grow('2Gi')).rejects.toThrow('field can not be less than status.capacity');
    const classes = cluster.client().resource(StorageClass);
    await classes.patch({ name: 'standard' }, { type: 'merge', body: { allowVolumeExpansion: false } });
    await expect(grow('4Gi')).rejects.toThrow('only dynamically provisioned pvc can be resized');
    await classes.patch({ name: 'standard' }, { type: 'merge', body: { allowVolumeExpansion: true } });
  });

  it('copy the data of another claim', async () => {
    await createClaim('original');
    await run('author', 'mkdir /data/a && echo text > /data/a/b && ln -s a/b /data/link', mounting('original'));
    const dataSource = { kind: 'PersistentVolumeClaim', name: 'original' };
    await createClaim('copy', { dataSource, dataSourceRef: dataSource });
    await run('copier', 'grep text /data/link && echo more >> /data/a/b', mounting('copy'));
    expect(readFileSync(join(await pathOf('original'), 'a/b'), 'utf8')).toBe('text\n');
    const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
    await createClaim('restored', { dataSourceRef: snapshot }, onNode);
    const why = 'failed to provision volume with StorageClass "standard": cannot copy from a VolumeSnapshot';
    await expect.poll(() => eventsOf('restored'), { timeout }).toContain(`ProvisioningFailed: ${why}`);
  });

  it('reject a copy that is smaller than its source', async () => {
    await createClaim('large', { resources: { requests: { storage: '2Gi' } } }, onNode);
    await isBound('large');
    const dataSourceRef = { kind: 'PersistentVolumeClaim', name: 'large' };
    await createClaim('small', { dataSourceRef }, onNode);
    const why = 'the claim requests 1Gi, less than the 2Gi of the source claim "large"; request at least 2Gi';
    const failed = `ProvisioningFailed: failed to provision volume with StorageClass "standard": ${why}`;
    await expect.poll(() => eventsOf('small'), { timeout }).toContain(failed);
    expect((await claimNow('small')).status?.phase).toBe('Pending');
  });

  it('are folders of the node if the user specifies the path', async () => {
    const volumes = cluster.client().resource(PersistentVolume);
    await volumes.create(
      PersistentVolume({
        metadata: { name: 'task' },
        spec: {
          storageClassName: 'manual',
          capacity: { storage: '10Gi' },
          accessModes: ['ReadWriteOnce'],
          hostPath: { path: '/mnt/data' },
        },
      }),
    );
    await createClaim('task', { storageClassName: 'manual' });
    await isBound('task');
    await run('task', 'echo here > /data/file', mounting('task'));
    await run('task-again', 'grep here /data/file', mounting('task'));
    expect(existsSync('/mnt/data/file')).toBe(false);
    await claims().delete({ namespace, name: 'task' });
    await expect.poll(async () => (await volumes.get({ name: 'task' })).status?.phase, { timeout }).toBe('Released');
    await volumes.delete({ name: 'task' });
  });

  it('belong to the pods of a StatefulSet and outlive them', async () => {
    const sets = cluster.client().resource(StatefulSet);
    const line = 'cat /data/name 2>/dev/null || echo "$HOSTNAME" > /data/name; exec sleep 600';
    await sets.create(
      StatefulSet({
        metadata: { name: 'web', namespace },
        spec: {
          serviceName: 'web',
          replicas: 2,
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: {
              terminationGracePeriodSeconds: 1,
              containers: [
                {
                  name: 'c',
                  image: 'busybox',
                  command: ['sh', '-c', line],
                  volumeMounts: [{ name: 'www', mountPath: '/data' }],
                },
              ],
            },
          },
          volumeClaimTemplates: [
            PersistentVolumeClaim({
              metadata: { name: 'www' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            }),
          ],
        },
      }),
    );
    const ready = async () => (await sets.get({ namespace, name: 'web' })).status?.readyReplicas ?? 0;
    await expect.poll(ready, { timeout }).toBe(2);
    const path = await pathOf('www-web-1');
    await expect.poll(() => existsSync(join(path, 'name')), { timeout }).toBe(true);
    const scale = (replicas: number) =>
      sets.patch({ namespace, name: 'web' }, { type: 'merge', body: { spec: { replicas } } });
    await scale(1);
    await gone(() => cluster.client().resource(Pod).get({ namespace, name: 'web-1' }));
    await scale(2);
    await expect.poll(ready, { timeout }).toBe(2);
    expect(await pathOf('www-web-1')).toBe(path);
    expect(readFileSync(join(path, 'name'), 'utf8')).toBe('web-1\n');
  }, 60_000);

  it('come with the pods that have ephemeral volumes', async () => {
    const volumeClaimTemplate = {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await run('scratch', 'echo x > /data/file', {
      ...mounting(''),
      volumes: [{ name: 'data', ephemeral: { volumeClaimTemplate } }],
    });
    await gone(() => claimNow('scratch-data'));
  });

  it('make pods wait for their claims', async () => {
    const pods = cluster.client().resource(Pod);
    await createClaim('unbound', { storageClassName: 'none' });
    // Bind the pod to the node by hand, because the scheduler would not.
    const [shell] = [
      { name: 'c', image: 'busybox', command: ['true'], volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    ];
    const spec = {
      ...mounting('unbound'),
      containers: [shell],
      nodeName: 'kubewright',
      restartPolicy: 'Never' as const,
    };
    await pods.create(Pod({ metadata: { name: 'waiting', namespace }, spec }));
    const text = 'unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]';
    await expect
      .poll(() => eventsOf('waiting'), { timeout })
      .toContain(
        `FailedMount: Unable to attach or mount volumes: ${text}: error processing PVC volumes/unbound: PVC is not bound`,
      );
    const spareSpec = {
      storageClassName: 'none',
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/spare' },
    };
    await cluster
      .client()
      .resource(PersistentVolume)
      .create(PersistentVolume({ metadata: { name: 'spare' }, spec: spareSpec }));
    await expect
      .poll(async () => (await pods.get({ namespace, name: 'waiting' })).status?.phase, { timeout })
      .toBe('Succeeded');
  });

  it('are deleted with their namespace', async () => {
    const path = await pathOf('www-web-0');
    await cluster.client().resource(Namespace).delete({ name: namespace });
    await gone(() => cluster.client().resource(Namespace).get({ name: namespace }));
    await expect
      .poll(
        async () => {
          const { items } = await cluster.client().resource(PersistentVolume).list();
          return items.filter(({ spec }) => spec?.local).length;
        },
        { timeout },
      )
      .toBe(0);
    expect(existsSync(path)).toBe(false);
  });
});

it('keeps local volumes with the data folder', async () => {
  // The users of containers must be able to enter the data folder.
  const data = mkdtempSync(join(tmpdir(), 'kw-kept-'));
  chmodSync(data, 0o711);
  const use = async (name: string, line: string): Promise<void> => {
    await using cluster = await EmbeddedCluster.start({
      directory: join(data, 'state'),
      data: join(data, 'objects'),
      node: {},
    });
    const client = cluster.client();
    const key = { namespace: 'default', name };
    const accounts = async () => (await client.resource(ServiceAccount).list({ namespace: 'default' })).items.length;
    await expect.poll(accounts, { timeout }).toBe(1);
    const claims = client.resource(PersistentVolumeClaim);
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = PersistentVolumeClaim({ metadata: { name: 'kept', namespace: 'default' }, spec });
    if ((await claims.list({ namespace: 'default' })).items.length === 0) await claims.create(claim);
    const container = {
      name: 'c',
      image: 'busybox',
      command: ['sh', '-c', line],
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    };
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'kept' } }];
    const podSpec: PodSpec = { restartPolicy: 'Never', containers: [container], volumes };
    await client.resource(Pod).create(Pod({ metadata: key, spec: podSpec }));
    const phase = async () => (await client.resource(Pod).get(key)).status?.phase;
    await expect.poll(phase, { timeout }).toBe('Succeeded');
  };
  try {
    await use('first', 'echo kept > /data/file');
    await use('second', 'grep kept /data/file');
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}, 60_000);
