import { Job } from '@kubewright/apimachinery/batch/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

const image = 'any/image:1';
const annotated = (what: string, value: string) => ({ [`simulated.kubewright.dev/${what}`]: value });

describe('a simulated node', () => {
  let cluster: EmbeddedCluster;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: { driver: 'simulated' } });
  });
  afterAll(() => cluster.stop());

  const key = (name: string) => ({ namespace: 'default', name });
  const pod = (name: string) => cluster.client().resource(Pod).get(key(name));

  async function run(name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
    const initContainers = [{ name: 'init', image }];
    const spec = { initContainers, containers: [{ name: 'c', image }] };
    await cluster
      .client()
      .resource(Pod)
      .create(Pod({ metadata: { ...key(name), annotations }, spec }));
  }

  it('completes Jobs, including their init containers', async () => {
    const jobs = cluster.client().resource(Job);
    const template = {
      spec: { restartPolicy: 'Never', initContainers: [{ name: 'init', image }], containers: [{ name: 'c', image }] },
    } as const;
    await jobs.create(Job({ metadata: key('two'), spec: { completions: 2, parallelism: 2, template } }));
    const status = async () => (await jobs.get(key('two'))).status;
    await expect.poll(status, { timeout: 30_000 }).toMatchObject({ succeeded: 2 });
    await expect
      .poll(async () => (await status())?.conditions?.map(({ type }) => type), { timeout: 30_000 })
      .toContain('Complete');
  });

  it('runs a server after its init containers', async () => {
    await run('server', {});
    await expect.poll(async () => (await pod('server')).status?.phase, { timeout: 30_000 }).toBe('Running');
    expect((await pod('server')).status?.initContainerStatuses).toMatchObject([
      { state: { terminated: { exitCode: 0, reason: 'Completed' } } },
    ]);
  });

  it('fails pulls until the pod has reached the annotated age', async () => {
    await run('pull', { ...annotated('pull-error', 'no such tag'), ...annotated('pull-error-seconds', '1') });
    const waiting = async () => (await pod('pull')).status?.initContainerStatuses?.[0]?.state?.waiting;
    await expect.poll(waiting, { timeout: 30_000 }).toMatchObject({ reason: 'ErrImagePull', message: 'no such tag' });
  });

  it('restarts a container that fails', async () => {
    await run('loop', { ...annotated('failures.c', '1'), ...annotated('exit-code.c', '7') });
    const last = async () => (await pod('loop')).status?.containerStatuses?.[0];
    await expect.poll(last, { timeout: 30_000 }).toMatchObject({ restartCount: 1, state: { running: {} } });
    expect((await last())?.lastState?.terminated).toMatchObject({ exitCode: 7, reason: 'Error' });
  });
});
