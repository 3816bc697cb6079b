import { describe, expect, it } from 'vitest';
import { PodBench } from '../testdata/pod-bench.ts';

const prefix = 'simulated.kubewright.dev/';
const web = { name: 'web', image: 'web:1' };

describe('PodWorker', () => {
  it('starts a container and reports the same status as a kubelet', async () => {
    const bench = new PodBench({ containers: [web] });
    const status = await bench.run();
    expect(status).toMatchObject({ phase: 'Running', observedGeneration: 1, podIP: '10.128.0.1', hostIP: '10.0.0.9' });
    expect(bench.container('web')).toMatchObject({
      ready: true,
      started: true,
      restartCount: 0,
      imageID: 'simulated://web:1',
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
    });
    expect(status.conditions?.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
    expect(bench.events.map((event) => event.split(':')[0])).toEqual(['Pulling', 'Pulled', 'Created', 'Started']);
  });

  it('writes no second status if nothing changes', async () => {
    const bench = new PodBench({ containers: [web] });
    await bench.run();
    const count = bench.statuses.length;
    await bench.run(60_000);
    expect(bench.statuses.length).toBe(count);
  });

  it('evicts a pod whose volume exceeds its limit', async () => {
    const message = 'Usage of EmptyDir volume "cache" exceeds the limit "1Mi". ';
    let excess: string | undefined;
    const volumes = [{ name: 'cache', emptyDir: { sizeLimit: '1Mi' } }];
    const bench = new PodBench({ containers: [web], volumes }, { excess: () => excess });
    await bench.run(60_000);
    expect(bench.status.phase).toBe('Running');
    excess = message;
    await bench.run(15_000);
    expect(bench.status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message });
    expect(bench.condition('DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'TerminationByKubelet',
      message,
    });
    expect(bench.events).toContain(`Evicted: ${message}`);
    expect(bench.events).toContain('Killing: Stopping container web');
  });

  it('starts an added ephemeral container immediately and only once, regardless of the state of other containers', async () => {
    const stuck = { name: 'stuck', image: 'stuck' };
    const annotations = { [`${prefix}run-seconds.look`]: '5', [`${prefix}run-seconds.stuck`]: '100000' };
    const bench = new PodBench({ initContainers: [stuck], containers: [web] }, { annotations });
    await bench.run(1_000);
    const { spec } = bench.pod;
    bench.pod = {
      ...bench.pod,
      spec: { ...spec, containers: spec?.containers ?? [], ephemeralContainers: [{ name: 'look', image: 'busybox' }] },
    };
    await bench.run(1_000);
    expect(bench.container('look')?.state?.running).toBeDefined();
    expect(bench.status).toMatchObject({ phase: 'Pending', initContainerStatuses: [{ name: 'stuck' }] });
    await bench.run(60_000);
    expect(bench.container('look')).toMatchObject({
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: 0 } },
    });
    bench.delete(30);
    await bench.run(60_000);
    expect(bench.last?.removable).toBe(true);
  });

  it('runs init containers one at a time, then sidecars, then main containers', async () => {
    const bench = new PodBench(
      {
        initContainers: [
          { name: 'a', image: 'a' },
          {
            name: 'side',
            image: 'side',
            restartPolicy: 'Always',
            startupProbe: { tcpSocket: { port: 1 }, periodSeconds: 1, failureThreshold: 10 },
          },
          { name: 'b', image: 'b' },
        ],
        containers: [web],
      },
      {
        annotations: {
          [`${prefix}run-seconds.a`]: '5',
          [`${prefix}run-seconds.b`]: '5',
          [`${prefix}healthy-after-seconds.side`]: '3',
        },
      },
    );
    const at = (state: object | undefined): string => Object.keys(state ?? {}).join();
    const states = () => ['a', 'side', 'b', 'web'].map((name) => at(bench.container(name)?.state)).join(' ');
    await bench.run();
    expect(states()).toBe('running waiting waiting waiting');
    expect(bench.container('web')?.state?.waiting?.reason).toBe('PodInitializing');
    expect(bench.condition('Initialized')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotInitialized',
      message: 'containers with incomplete status: [a side b]',
    });
    await bench.run(5_500);
    expect(states()).toBe('terminated running waiting waiting');
    await bench.run(3_500);
    expect(states()).toBe('terminated running running waiting');
    expect(bench.status.phase).toBe('Pending');
    await bench.run(5_500);
    expect(states()).toBe('terminated running terminated running');
    expect(bench.status.phase).toBe('Running');
    expect(bench.condition('Ready')?.status).toBe('True');
  });

  it('restarts with growing backoff and resets it after a long run', async () => {
    const bench = new PodBench({ containers: [web] }, { annotations: { [`${prefix}exit-code`]: '3' } });
    await bench.run();
    // The first restart is immediate; the backoff starts with the second failure.
    expect(bench.container('web')).toMatchObject({
      restartCount: 1,
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: 'back-off 10s restarting failed container=web pod=p_ns(uid-1)',
        },
      },
      lastState: { terminated: { exitCode: 3, reason: 'Error' } },
    });
    expect(bench.status.phase).toBe('Running');
    expect(bench.condition('Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [web]',
    });
    await bench.run(10_500);
    expect(bench.container('web')?.restartCount).toBe(2);
    expect(bench.container('web')?.state?.waiting?.message).toContain('back-off 20s');
    await bench.run(10_000);
    expect(bench.container('web')?.restartCount).toBe(2);
    await bench.run(10_500);
    expect(bench.container('web')?.restartCount).toBe(3);
    await bench.run(3_600_000);
    expect(bench.container('web')?.state?.waiting?.message).toContain('back-off 5m0s');
    expect(bench.events.some((event) => event.startsWith('BackOff: Back-off restarting failed container web'))).toBe(
      true,
    );
  });

  it.each([
    ['Never', '0', 'Succeeded', 0],
    ['Never', '1', 'Failed', 0],
    ['OnFailure', '0', 'Succeeded', 0],
  ] as const)('ends a pod with policy %s and exit code %s as %s', async (restartPolicy, code, phase, restarts) => {
    const bench = new PodBench({ restartPolicy, containers: [web] }, { annotations: { [`${prefix}exit-code`]: code } });
    await bench.run(1_000);
    expect(bench.status.phase).toBe(phase);
    expect(bench.container('web')?.restartCount).toBe(restarts);
    expect(bench.condition('Ready')?.reason).toBe(phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed');
    expect(bench.last?.removable).toBe(false);
  });

  it('fails the pod if an init container fails for good', async () => {
    const bench = new PodBench(
      { restartPolicy: 'Never', initContainers: [{ name: 'a', image: 'a' }], containers: [web] },
      { annotations: { [`${prefix}exit-code.a`]: '7' } },
    );
    await bench.run(1_000);
    expect(bench.status.phase).toBe('Failed');
    expect(bench.container('web')?.state?.waiting?.reason).toBe('PodInitializing');
  });

  it('stops sidecars once the main containers have ended', async () => {
    const bench = new PodBench(
      {
        restartPolicy: 'Never',
        initContainers: [{ name: 'side', image: 's', restartPolicy: 'Always' }],
        containers: [web],
      },
      { annotations: { [`${prefix}run-seconds.web`]: '5' } },
    );
    await bench.run(1_000);
    expect(bench.status.phase).toBe('Running');
    await bench.run(5_000);
    expect(bench.status.phase).toBe('Succeeded');
    expect(bench.container('side')?.state?.terminated?.exitCode).toBe(0);
  });

  it("waits in ErrImagePull, then in ImagePullBackOff, with the registry's message", async () => {
    const bench = new PodBench({ containers: [{ name: 'web', image: 'missing:1' }] });
    await bench.run();
    expect(bench.container('web')?.state?.waiting).toMatchObject({ reason: 'ErrImagePull' });
    expect(bench.status.phase).toBe('Pending');
    await bench.run(5_000);
    expect(bench.container('web')?.state?.waiting?.reason).toBe('ImagePullBackOff');
    expect(bench.container('web')?.state?.waiting?.message).toMatch(
      /^Back-off pulling image "missing:1": ErrImagePull: /,
    );
    await bench.run(120_000);
    const pulls = bench.events.filter((event) => event.startsWith('Pulling')).length;
    expect(pulls).toBeGreaterThanOrEqual(4);
    expect(pulls).toBeLessThanOrEqual(5);
  });

  it('waits for a config map and continues once it exists', async () => {
    const valueFrom = { configMapKeyRef: { name: 'settings', key: 'a' } };
    const bench = new PodBench({ containers: [{ ...web, env: [{ name: 'A', valueFrom }] }] });
    await bench.run();
    expect(bench.container('web')?.state?.waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'configmap "settings" not found',
    });
    bench.objects.addConfigMap('settings', { a: '1' });
    bench.worker.invalidate();
    await bench.run();
    expect(bench.status.phase).toBe('Running');
    expect(bench.container('web')?.restartCount).toBe(0);
  });

  it('reports init containers that are being started as initializing', async () => {
    const bench = new PodBench({ initContainers: [{ name: 'init', image: 'init' }], containers: [web] });
    Object.assign(bench.host.driver, { startContainer: () => new Promise(() => {}) });
    await bench.run();
    expect(bench.container('init')?.state?.waiting?.reason).toBe('PodInitializing');
  });

  it('waits for a volume that cannot be set up', async () => {
    const bench = new PodBench({ containers: [web], volumes: [{ name: 'v', configMap: { name: 'settings' } }] });
    await bench.run(3_000);
    expect(bench.container('web')?.state?.waiting?.reason).toBe('ContainerCreating');
    expect(bench.events).toContain(
      'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "settings" not found',
    );
    bench.objects.addConfigMap('settings', {});
    bench.worker.invalidate();
    expect((await bench.run()).phase).toBe('Running');
  });

  it('ends a pod that exceeds its deadline', async () => {
    const bench = new PodBench({ activeDeadlineSeconds: 30, containers: [web] });
    await bench.run(29_000);
    expect(bench.status.phase).toBe('Running');
    await bench.run(2_000);
    expect(bench.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    expect(bench.container('web')?.state?.terminated).toBeDefined();
  });

  it('follows the readiness probe and restarts on a failed liveness probe', async () => {
    const probe = { tcpSocket: { port: 1 }, periodSeconds: 5, failureThreshold: 2 };
    const bench = new PodBench(
      {
        terminationGracePeriodSeconds: 3,
        containers: [{ ...web, readinessProbe: probe, livenessProbe: { ...probe, failureThreshold: 4 } }],
      },
      { annotations: { [`${prefix}healthy-after-seconds`]: '8', [`${prefix}unhealthy-after-seconds`]: '30' } },
    );
    await bench.run(1_000);
    expect(bench.container('web')).toMatchObject({ started: true, ready: false });
    await bench.run(10_000);
    expect(bench.container('web')?.ready).toBe(true);
    await bench.run(24_900);
    expect(bench.container('web')).toMatchObject({ ready: false, restartCount: 0 });
    await bench.run(11_000);
    expect(bench.container('web')?.restartCount).toBe(1);
    expect(bench.events).toContain('Killing: Container web failed liveness probe, will be restarted');
    expect(bench.events).toContain('Unhealthy: Readiness probe failed: simulated: marked unhealthy by annotation');
  });

  it('is not ready until its readiness gates are true', async () => {
    const bench = new PodBench({ readinessGates: [{ conditionType: 'example.com/open' }], containers: [web] });
    await bench.run();
    expect(bench.condition('Ready')).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' });
    expect(bench.condition('ContainersReady')?.status).toBe('True');
    const open = { type: 'example.com/open', status: 'True' };
    bench.pod = {
      ...bench.pod,
      status: { ...bench.pod.status, conditions: [...(bench.pod.status?.conditions ?? []), open] },
    };
    await bench.run();
    expect(bench.condition('Ready')?.status).toBe('True');
  });

  it('gives a deleted pod its grace period, then kills it and reports the result', async () => {
    const bench = new PodBench({ containers: [web] }, { annotations: { [`${prefix}stop-seconds`]: '60' } });
    await bench.run(5_000);
    bench.delete(10);
    await bench.run(9_000);
    expect(bench.container('web')).toMatchObject({ ready: false, state: { running: {} } });
    expect(bench.last?.removable).toBe(false);
    await bench.run(2_000);
    expect(bench.container('web')?.state?.terminated).toMatchObject({ exitCode: 137, signal: 9 });
    expect(bench.status.phase).toBe('Failed');
    expect(bench.last?.removable).toBe(true);
    expect(bench.events.filter((event) => event === 'Killing: Stopping container web').length).toBe(1);
  });

  it('stops immediately if a forced deletion follows', async () => {
    const bench = new PodBench({ containers: [web] }, { annotations: { [`${prefix}stop-seconds`]: '600' } });
    await bench.run();
    bench.delete(300);
    await bench.run(1_000);
    bench.delete(0);
    await bench.run(1_000);
    expect(bench.last?.removable).toBe(true);
  });

  it('kills a container at the end of a grace period that a second deletion has shortened', async () => {
    const bench = new PodBench({ containers: [web] }, { annotations: { [`${prefix}stop-seconds`]: '600' } });
    await bench.run();
    bench.delete(300);
    await bench.run(1_000);
    bench.delete(5);
    await bench.run(4_000);
    expect(bench.container('web')?.state?.running).toBeDefined();
    await bench.run(1_500);
    expect(bench.container('web')?.state?.terminated).toMatchObject({ exitCode: 137 });
    expect(bench.last?.removable).toBe(true);
  });

  it('does not give a container more time if a later deletion requests it', async () => {
    const bench = new PodBench({ containers: [web] }, { annotations: { [`${prefix}stop-seconds`]: '600' } });
    await bench.run();
    bench.delete(5);
    await bench.run(1_000);
    bench.delete(300);
    await bench.run(5_000);
    expect(bench.last?.removable).toBe(true);
  });

  it('syncs a pod that is ending only when something happens', async () => {
    const bench = new PodBench({ containers: [web] }, { annotations: { [`${prefix}stop-seconds`]: '600' } });
    await bench.run();
    bench.delete(30);
    await bench.run();
    // No sync is scheduled even for the end of the grace period: a driver may fail to kill a process.
    expect(bench.last?.wakeAtMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('runs the preStop hook within the grace period, before the stop signal', async () => {
    const bench = new PodBench({ containers: [{ ...web, lifecycle: { preStop: { sleep: { seconds: 5 } } } }] });
    await bench.run();
    bench.delete(30);
    await bench.run(4_000);
    expect(bench.container('web')?.state?.running).toBeDefined();
    await bench.run(1_500);
    expect(bench.container('web')?.state?.terminated?.exitCode).toBe(0);
    expect(bench.status.phase).toBe('Succeeded');
  });

  it('stops sidecars after the main containers, in reverse order', async () => {
    const side = (name: string) => ({ name, image: name, restartPolicy: 'Always' as const });
    const bench = new PodBench(
      { initContainers: [side('one'), side('two')], containers: [web] },
      { annotations: { [`${prefix}stop-seconds`]: '2' } },
    );
    await bench.run();
    bench.delete(30);
    await bench.run(10_000);
    const killed = bench.events.filter((event) => event.startsWith('Killing')).map((event) => event.split(' ').at(-1));
    expect(killed).toEqual(['web', 'two', 'one']);
    expect(bench.last?.removable).toBe(true);
  });

  it('restarts a container that an earlier run of the agent left running', async () => {
    const bench = new PodBench(
      { containers: [web] },
      {
        status: {
          phase: 'Running',
          startTime: '2025-12-31T00:00:00Z',
          containerStatuses: [
            {
              name: 'web',
              image: 'web:1',
              imageID: 'x',
              ready: true,
              restartCount: 2,
              state: { running: { startedAt: '2025-12-31T00:00:00Z' } },
            },
          ],
        },
      },
    );
    await bench.run();
    expect(bench.container('web')).toMatchObject({
      restartCount: 3,
      state: { running: {} },
      lastState: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } },
    });
    expect(bench.status.startTime).toBe('2025-12-31T00:00:00Z');
  });

  it('reports a container that cannot be started and retries with backoff', async () => {
    const bench = new PodBench({ containers: [web] }, { annotations: { [`${prefix}start-error`]: 'no such program' } });
    await bench.run(1_000);
    expect(bench.container('web')?.state?.waiting?.reason).toBe('CrashLoopBackOff');
    expect(bench.container('web')?.lastState?.terminated).toMatchObject({
      exitCode: 128,
      reason: 'StartError',
      message: 'no such program',
    });
  });
});
