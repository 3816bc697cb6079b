import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { isNotFound } from '@kubewright/apimachinery';
import { Event, Node, PersistentVolumeClaim, Pod, Secret } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeCluster, startNodeCluster } from './testdata/node-cluster.ts';
import { makeReady } from './testdata/ready-namespace.ts';

describe('processNode', () => {
  let cluster: NodeCluster;
  const namespace = 'default';

  beforeAll(async () => {
    cluster = await startNodeCluster();
    const { admin } = cluster;
    await makeReady(admin, namespace);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const podNow = async (name: string): Promise<Pod | undefined> => {
    try {
      return await cluster.admin.resource(Pod).get({ namespace, name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const createPod = (name: string, spec: Pod['spec']): Promise<Pod> =>
    cluster.admin.resource(Pod).create(
      Pod({
        metadata: { name, namespace },
        ...(spec && { spec: { terminationGracePeriodSeconds: 5, ...spec } }),
      }),
    );
  const conditionOf = (pod: Pod | undefined, type: string) => pod?.status?.conditions?.find((one) => one.type === type);

  it('registers a ready node', async () => {
    await expect
      .poll(
        async () => {
          const { items } = await cluster.admin.resource(Node).list();
          return items[0]?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
        },
        { timeout: 30_000 },
      )
      .toBe('True');
  });

  it('runs a PostgreSQL pod from scheduling to deletion', async () => {
    await cluster.admin.resource(Secret).create(
      Secret({
        metadata: { name: 'db', namespace },
        stringData: { password: 'hunter2' },
      }),
    );
    await createPod('db', {
      containers: [
        {
          name: 'postgres',
          image: 'postgres:17',
          env: [{ name: 'POSTGRES_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }],
          ports: [{ containerPort: 5432 }],
          readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
          volumeMounts: [{ name: 'data', mountPath: '/var/lib/postgresql/data' }],
        },
      ],
      volumes: [{ name: 'data', emptyDir: {} }],
    });
    await expect.poll(async () => conditionOf(await podNow('db'), 'Ready')?.status, { timeout: 30_000 }).toBe('True');
    const pod = await podNow('db');
    expect(pod?.status).toMatchObject({ phase: 'Running', hostIP: cluster.node.nodeIP });
    expect(await sslAnswer(pod?.status?.podIP ?? '')).toBe('N');
    await cluster.admin.resource(Pod).delete({ namespace, name: 'db' });
    await expect.poll(() => podNow('db'), { timeout: 30_000 }).toBeUndefined();
  });

  it('clears the reasons of conditions once they are true', async () => {
    await createPod('slow', {
      containers: [
        {
          name: 'c',
          image: 'busybox',
          command: ['sh', '-c', 'sleep 1; touch ready; sleep 1000'],
          workingDir: '/work/here',
          readinessProbe: { exec: { command: ['cat', 'ready'] }, periodSeconds: 1 },
        },
      ],
    });
    await expect
      .poll(async () => conditionOf(await podNow('slow'), 'Ready')?.reason, { timeout: 30_000 })
      .toBe('ContainersNotReady');
    await expect.poll(async () => conditionOf(await podNow('slow'), 'Ready')?.status, { timeout: 30_000 }).toBe('True');
    expect(conditionOf(await podNow('slow'), 'Ready')).not.toHaveProperty('reason');
    await cluster.admin.resource(Pod).delete({ namespace, name: 'slow' }, { gracePeriodSeconds: 0 });
    await expect.poll(() => podNow('slow'), { timeout: 30_000 }).toBeUndefined();
  });

  it('updates a changed secret in a running container and restarts a failed container', async () => {
    const secret = (value: string) => ({
      apiVersion: 'v1' as const,
      kind: 'Secret' as const,
      metadata: { name: 'live', namespace },
      stringData: { key: value },
    });
    await cluster.admin.resource(Secret).create(secret('old'));
    await createPod('watcher', {
      restartPolicy: 'OnFailure',
      containers: [
        {
          name: 'c',
          image: 'busybox',
          // The first attempt fails, so that the second attempt waits for the new content.
          command: [
            'sh',
            '-c',
            'test -e again || { touch again; exit 9; }; until grep -q new /etc/live/key; do sleep 0.2; done',
          ],
          volumeMounts: [{ name: 'live', mountPath: '/etc/live' }],
        },
      ],
      volumes: [{ name: 'live', secret: { secretName: 'live' } }],
    });
    const statusOf = async () => (await podNow('watcher'))?.status?.containerStatuses?.[0];
    await expect.poll(async () => (await statusOf())?.state?.running, { timeout: 30_000 }).toBeDefined();
    await expect.poll(async () => (await statusOf())?.restartCount, { timeout: 30_000 }).toBe(1);
    expect((await statusOf())?.lastState?.terminated).toMatchObject({ exitCode: 9, reason: 'Error' });
    await cluster.admin
      .resource(Secret)
      .patch({ namespace, name: 'live' }, { type: 'merge', body: { stringData: { key: 'new' } } });
    await expect.poll(async () => (await podNow('watcher'))?.status?.phase, { timeout: 30_000 }).toBe('Succeeded');
  });

  it('detects the end of a pod, and deletes it even if a child has left for another session', async () => {
    const daemon = 'setsid sleep 777 &';
    await createPod('finished', {
      restartPolicy: 'Never',
      containers: [{ name: 'c', image: 'busybox', command: ['sh', '-c', `${daemon} exit 3`] }],
    });
    await expect.poll(async () => (await podNow('finished'))?.status?.phase, { timeout: 30_000 }).toBe('Failed');
    const [status] = (await podNow('finished'))?.status?.containerStatuses ?? [];
    expect(status?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    await createPod('daemons', {
      containers: [{ name: 'c', image: 'busybox', command: ['sh', '-c', `${daemon} echo $!; wait; sleep 777`] }],
    });
    await expect.poll(async () => (await podNow('daemons'))?.status?.phase, { timeout: 30_000 }).toBe('Running');
    for (const name of ['finished', 'daemons']) {
      await cluster.admin.resource(Pod).delete({ namespace, name }, { gracePeriodSeconds: 1 });
      await expect.poll(() => podNow(name), { timeout: 30_000 }).toBeUndefined();
    }
    const { stdout } = spawnSync('ps', ['axeww', '-o', 'command='], { encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => /^sleep 777.* HOSTNAME=(finished|daemons)( |$)/.test(line))).toEqual([]);
  });

  it('stops the containers of a force-deleted pod', async () => {
    await createPod('forced', {
      containers: [{ name: 'c', image: 'node:20', command: ['node', '-e', 'setInterval(()=>{},1e9)'] }],
    });
    await expect.poll(async () => (await podNow('forced'))?.status?.phase, { timeout: 30_000 }).toBe('Running');
    await cluster.admin.resource(Pod).delete({ namespace, name: 'forced' }, { gracePeriodSeconds: 0 });
    const again = await createPod('forced', { containers: [{ name: 'c', image: 'pause' }] });
    await expect.poll(async () => (await podNow('forced'))?.status?.phase, { timeout: 30_000 }).toBe('Running');
    expect((await podNow('forced'))?.metadata.uid).toBe(again.metadata.uid);
  });

  it('keeps data in a claim and makes it accessible to pods of any user', async () => {
    await cluster.admin.resource(PersistentVolumeClaim).create(
      PersistentVolumeClaim({
        metadata: { name: 'kept', namespace },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
    );
    const use = (name: string, line: string) =>
      createPod(name, {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'c',
            image: 'busybox',
            command: ['sh', '-c', line],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'kept' } }],
      });
    const phase = (name: string) => async () => (await podNow(name))?.status?.phase;
    await use('writer', 'cd /data && mkdir below && echo first > below/file');
    await expect.poll(phase('writer'), { timeout: 30_000 }).toBe('Succeeded');
    await cluster.admin.resource(Pod).delete({ namespace, name: 'writer' });
    await expect.poll(() => podNow('writer'), { timeout: 30_000 }).toBeUndefined();
    await use('reader', 'cd /data && grep first below/file && echo second >> below/file');
    await expect.poll(phase('reader'), { timeout: 30_000 }).toBe('Succeeded');
  });

  it('reports each reason why a container cannot start in its own event', async () => {
    await createPod('broken', {
      containers: [
        { name: 'command', image: 'busybox', command: ['no-such-program'] },
        { name: 'image', image: 'team/none:1' },
        { name: 'never', image: 'team/none:2', imagePullPolicy: 'Never' },
        { name: 'name', image: 'Bad:Image:x' },
      ],
    });
    const seen = async () => {
      const { items } = await cluster.admin.resource(Event).list({ namespace });
      const own = items.filter(({ involvedObject }) => involvedObject.name === 'broken');
      return own.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
    };
    const missing = 'exec: "no-such-program": executable file not found in $PATH';
    for (const expected of [
      expect.stringMatching(`^Warning Failed: Error: .*${missing.replace('$', '\\$')}`),
      expect.stringMatching(
        /^Warning Failed: Failed to pull image "team\/none:1": image "team\/none:1" cannot run on this node: no program is mapped to/,
      ),
      'Warning Failed: Error: ErrImagePull',
      'Warning Failed: Error: ErrImageNeverPull',
      'Warning Failed: Error: InvalidImageName',
      expect.stringMatching(/^Warning InspectFailed: Failed to apply default image tag "Bad:Image:x": couldn't parse/),
    ]) {
      await expect.poll(seen, { timeout: 30_000 }).toContainEqual(expected);
    }
    const states = (await podNow('broken'))?.status?.containerStatuses?.map(({ name, state, lastState }) => [
      name,
      state?.waiting?.reason,
      lastState?.terminated?.reason ?? state?.terminated?.reason,
    ]);
    expect(states).toContainEqual(['command', expect.anything(), 'StartError']);
    expect(states).toContainEqual(['never', 'ErrImageNeverPull', undefined]);
    expect(states).toContainEqual(['name', 'InvalidImageName', undefined]);
    await cluster.admin.resource(Pod).delete({ namespace, name: 'broken' }, { gracePeriodSeconds: 0 });
  });

  it("gives the node's address to pods with host networking", async () => {
    await createPod('host', {
      hostNetwork: true,
      containers: [{ name: 'c', image: 'busybox', command: ['sleep', '1000'], ports: [{ containerPort: 8123 }] }],
    });
    await expect.poll(async () => (await podNow('host'))?.status?.phase, { timeout: 30_000 }).toBe('Running');
    const { nodeIP } = cluster.node;
    expect((await podNow('host'))?.status).toMatchObject({ podIP: nodeIP, hostIP: nodeIP, podIPs: [{ ip: nodeIP }] });
    await cluster.admin.resource(Pod).delete({ namespace, name: 'host' }, { gracePeriodSeconds: 0 });
    await expect.poll(() => podNow('host'), { timeout: 30_000 }).toBeUndefined();
  });

  it('records events about the node as the kubelet', async () => {
    const { items } = await cluster.admin.resource(Event).list({ namespace: 'default' });
    const reporters = items.map(({ reason, reportingComponent }) => `${reason}: ${reportingComponent}`);
    expect(reporters).toContain('SharedNetwork: kubelet');
  });

  it('shows the control plane components as static pods and recreates them', async () => {
    const key = { namespace: 'kube-system', name: 'kube-apiserver-kw' };
    const pods = cluster.admin.resource(Pod);
    const before = await pods.get(key);
    expect(before.status?.phase).toBe('Running');
    await pods.delete(key);
    await expect
      .poll(
        async () =>
          pods.get(key).then(
            (pod) => pod.metadata.uid !== before.metadata.uid && pod.status?.phase,
            () => undefined,
          ),
        {
          timeout: 30_000,
        },
      )
      .toBe('Running');
  });
});

/** Requests an encrypted connection from a PostgreSQL server: `N` means that it offers only plain connections. */
async function sslAnswer(host: string): Promise<string> {
  const request = Buffer.alloc(8);
  request.writeUInt32BE(8, 0);
  request.writeUInt32BE(80_877_103, 4);
  const socket = connect(5432, host);
  socket.write(request);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString();
}
