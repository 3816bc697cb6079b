import { describe, expect, it } from 'vitest';
import { behaviorOf, type SimulatedBehavior, type SimulatedPod } from './simulated-behavior.ts';

const annotated = (annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`simulated.kubewright.dev/${key}`, value]));

const owner = (kind: string) => ({ apiVersion: 'v1', kind, name: 'o', uid: 'u', controller: true });
const spec = {
  initContainers: [
    { name: 'init', image: 'i' },
    { name: 'sidecar', image: 'i', restartPolicy: 'Always' },
  ],
  containers: [{ name: 'c', image: 'i' }],
};
const plain: SimulatedPod = { metadata: {}, spec };
const ofJob: SimulatedPod = { metadata: { ownerReferences: [owner('Job')] }, spec };
const ofSet: SimulatedPod = { metadata: { ownerReferences: [owner('ReplicaSet')] }, spec };

describe('behaviorOf', () => {
  it.each<[what: string, pod: SimulatedPod, container: string, runMs: number | undefined]>([
    ['an init container', plain, 'init', 0],
    ['a sidecar', plain, 'sidecar', undefined],
    ['a container', plain, 'c', undefined],
    ['a container of a ReplicaSet', ofSet, 'c', undefined],
    ['a container of a Job', ofJob, 'c', 1_000],
    ['an init container of a Job', ofJob, 'init', 0],
    ['a sidecar of a Job', ofJob, 'sidecar', undefined],
  ])('lets %s run for its usual time and succeed', (_what, pod, container, runMs) => {
    expect(behaviorOf(pod, { container })).toMatchObject({
      runMs,
      exitCode: 0,
      stopExitCode: 0,
      startMs: 0,
      pullMs: 0,
    });
  });

  it.each<[annotations: Readonly<Record<string, string>>, behavior: Partial<SimulatedBehavior>]>([
    [{ 'exit-code': '3' }, { runMs: 0, exitCode: 3 }],
    [{ 'run-seconds': '2.5' }, { runMs: 2_500, exitCode: 0 }],
    [
      { 'run-seconds': '2', 'exit-code': '3' },
      { runMs: 2_000, exitCode: 3 },
    ],
    [{ 'run-seconds.other': '2' }, { runMs: undefined }],
    [{ 'run-seconds': '9', 'run-seconds.c': '2' }, { runMs: 2_000 }],
    [{ 'run-seconds': 'soon' }, { runMs: undefined }],
    [
      { 'start-seconds': '4', 'pull-seconds': '5' },
      { startMs: 4_000, pullMs: 5_000 },
    ],
    [{ 'pull-error': 'no such tag' }, { pullError: 'no such tag', pullErrorMs: Number.POSITIVE_INFINITY }],
    [
      { 'pull-error': 'too slow', 'pull-error-seconds': '30' },
      { pullError: 'too slow', pullErrorMs: 30_000 },
    ],
    [{ 'start-error': 'no such file' }, { startError: 'no such file' }],
    [
      { 'stop-seconds': '3', 'stop-exit-code': '143' },
      { stopMs: 3_000, stopExitCode: 143 },
    ],
    [
      { 'healthy-after-seconds': '1', 'unhealthy-after-seconds': '2' },
      { healthyAfterMs: 1_000, unhealthyAfterMs: 2_000 },
    ],
  ])('reads %j', (annotations, behavior) => {
    expect(
      behaviorOf({ ...plain, metadata: { annotations: annotated(annotations) } }, { container: 'c' }),
    ).toMatchObject(behavior);
  });

  it.each<
    [pod: SimulatedPod, annotations: Readonly<Record<string, string>>, attempts: readonly (readonly unknown[])[]]
  >([
    [
      plain,
      { failures: '2' },
      [
        [0, 1],
        [0, 1],
        [undefined, 0],
      ],
    ],
    [
      plain,
      { failures: '1', 'run-seconds': '3', 'exit-code': '7' },
      [
        [3_000, 7],
        [undefined, 0],
        [undefined, 0],
      ],
    ],
    [
      ofJob,
      { failures: '1' },
      [
        [0, 1],
        [1_000, 0],
        [1_000, 0],
      ],
    ],
    [
      ofJob,
      { failures: '1', 'run-seconds': '3' },
      [
        [3_000, 1],
        [3_000, 0],
        [3_000, 0],
      ],
    ],
  ])('fails the first attempts only: %#', (pod, annotations, attempts) => {
    const failing: SimulatedPod = { ...pod, metadata: { ...pod.metadata, annotations: annotated(annotations) } };
    const seen = [0, 1, 2].map((attempt) => behaviorOf(failing, { container: 'c', attempt }));
    expect(seen.map(({ runMs, exitCode }) => [runMs, exitCode])).toEqual(attempts);
  });
});
