import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sleep } from '@kubewright/apimachinery';
import { ConfigMap, Pod } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

const wait = { timeout: 30_000 };

describe('a node whose containers are functions', () => {
  let cluster: EmbeddedCluster;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({
      node: {
        driver: 'inproc',
        count: 2,
        programs: {
          /** Serves the text of its configuration, and counts its starts in a file. */
          server: async ({ network, files, env, print, signal, clock }) => {
            files.write('/data/starts', `${files.read('/data/starts') ?? ''}x`);
            // The first start of each pod fails a liveness probe of this port.
            if (files.read('/data/starts') !== 'x') network.listen(82, (connection) => connection.destroy());
            print(`starts: ${files.read('/data/starts')?.length}; own: ${files.list('/tmp').length}`);
            files.write('/tmp/left', 'over');
            const greet = (connection: Duplex): void => {
              connection.end(`${env['GREETING']} ${files.read('/etc/conf/name')}`);
            };
            network.listen(80, greet);
            network.listen(81, (connection) => connection.destroy());
            await sleep(clock, { ms: 86_400_000, signal });
          },
          client: async ({ network, args: [host = ''], print }) => {
            print(await text(await network.connect({ host, port: 80 })));
          },
          fails: async ({ files }) => {
            files.write('/etc/conf/name', 'mine');
          },
          deaf: async ({ clock, print }) => {
            print('deaf');
            await sleep(clock, { ms: 86_400_000 });
          },
        },
      },
    });
    const conf = ConfigMap({ metadata: { name: 'conf', namespace: 'default' }, data: { name: 'world' } });
    await cluster.client().resource(ConfigMap).create(conf);
  });
  afterAll(() => cluster.stop());

  const key = (name: string) => ({ namespace: 'default', name });
  const get = (name: string) => cluster.client().resource(Pod).get(key(name));
  const create = (name: string, container: NonNullable<Pod['spec']>['containers'][number], more: object = {}) =>
    cluster
      .client()
      .resource(Pod)
      .create(
        Pod({
          metadata: key(name),
          spec: {
            restartPolicy: 'Never',
            terminationGracePeriodSeconds: 1,
            volumes: [
              { name: 'conf', configMap: { name: 'conf' } },
              { name: 'data', emptyDir: {} },
            ],
            containers: [
              {
                ...container,
                volumeMounts: [
                  { name: 'conf', mountPath: '/etc/conf' },
                  { name: 'data', mountPath: '/data' },
                ],
              },
            ],
            ...more,
          },
        }),
      );
  const phase = async (name: string) => (await get(name)).status?.phase;
  const log = async (name: string, previous = false): Promise<string> => {
    const { body } = await cluster.client().pods.logs(key(name), { previous });
    let all = '';
    for await (const chunk of body) all += Buffer.from(chunk).toString();
    return all;
  };

  it('connects functions on two nodes, gives them volumes, and probes them', async () => {
    const readinessProbe = { tcpSocket: { port: 80 }, periodSeconds: 1 };
    const env = [{ name: 'GREETING', value: 'hello' }];
    await create('server', { name: 'c', image: 'server', env, readinessProbe }, { nodeName: 'kubewright' });
    const ready = async () => (await get('server')).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    await expect.poll(ready, wait).toBe('True');
    const podIP = (await get('server')).status?.podIP ?? '';
    await create('client', { name: 'c', image: 'client', args: [podIP] }, { nodeName: 'kubewright-2' });
    await expect.poll(() => phase('client'), wait).toBe('Succeeded');
    expect(await log('client')).toBe('hello world\n');
  });

  it('restarts a function with the files in its volumes, but not its own files', async () => {
    const livenessProbe = { tcpSocket: { port: 82 }, periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 30 };
    const more = { restartPolicy: 'Always' };
    await create('restarted', { name: 'c', image: 'server', livenessProbe }, more);
    await expect.poll(async () => (await get('restarted')).status?.containerStatuses?.[0]?.restartCount, wait).toBe(1);
    expect(await log('restarted', true)).toBe('starts: 1; own: 0\n');
    await expect.poll(() => log('restarted'), wait).toBe('starts: 2; own: 0\n');
    expect((await get('restarted')).status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
      exitCode: 143,
    });
  });

  it('logs the error of a function, and fails its container', async () => {
    await create('fails', { name: 'c', image: 'fails' });
    await expect.poll(() => phase('fails'), wait).toBe('Failed');
    expect(await log('fails')).toMatch(/^Error: EROFS: read-only file system, open '\/etc\/conf\/name'/);
    expect((await get('fails')).status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 1 });
  });

  it('kills a function that ignores the stop signal after the grace period', async () => {
    await create('deaf', { name: 'c', image: 'deaf' });
    await expect.poll(() => phase('deaf'), wait).toBe('Running');
    await cluster.client().resource(Pod).delete(key('deaf'));
    await expect.poll(() => phase('deaf').catch(() => 'gone'), wait).toBe('gone');
  });

  it('reports an image without a function, and lists the known images', async () => {
    await create('unknown', { name: 'c', image: 'other' });
    const waiting = async () => (await get('unknown')).status?.containerStatuses?.[0]?.state?.waiting;
    await expect.poll(waiting, wait).toMatchObject({
      reason: expect.stringMatching(/ErrImagePull|ImagePullBackOff/),
      message: expect.stringContaining('(known images: client, deaf, fails, server)'),
    });
  });
});
