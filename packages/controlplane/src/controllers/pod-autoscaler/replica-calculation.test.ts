import type { Stored } from '@kubewright/apimachinery';
import { Pod, type PodSpec } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { byAverage, byUtilization, type CalculationInput } from './replica-calculation.ts';

const nowMs = Date.UTC(2026, 0, 2);
const at = (secondsAgo: number): string => new Date(nowMs - secondsAgo * 1000).toISOString();

interface Row {
  /** The usage of each pod in thousandths; undefined for a pod without a measurement. */
  readonly usage: readonly (number | undefined)[];
  /** The states of pods by index. */
  readonly states?: Readonly<Record<number, 'starting' | 'pending' | 'failed' | 'deleting' | 'unready'>>;
  readonly resource?: string;
}

function inputOf({ usage, states = {}, resource = 'cpu' }: Row): CalculationInput {
  const pods = usage.map((_milli, index): Stored<Pod> => {
    const state = states[index];
    const age = state === 'starting' || state === 'unready' ? 20 : 3_600;
    const ready = { type: 'Ready', status: state === 'unready' ? 'False' : 'True', lastTransitionTime: at(age - 5) };
    const phase = state === 'pending' ? 'Pending' : state === 'failed' ? 'Failed' : 'Running';
    const resources = { requests: { cpu: '100m', memory: '100' } };
    const pod = Pod({
      metadata: { name: String(index), ...(state === 'deleting' && { deletionTimestamp: at(1) }) },
      spec: { containers: [{ name: 'c', image: 'i', resources }] },
    });
    return stored({ ...pod, status: { phase, startTime: at(age), conditions: [ready] } });
  });
  const measured = usage.flatMap((milli, index) => (milli === undefined ? [] : [[String(index), milli] as const]));
  const usages = new Map(measured.map(([name, milli]) => [name, { milli, atMs: nowMs, windowMs: 30_000 }]));
  const tolerance = { up: 0.1, down: 0.1 };
  return { currentReplicas: usage.length, pods, usages, resource, container: undefined, tolerance, nowMs };
}

describe('byUtilization', () => {
  it.each<[string, Row, number, number]>([
    // Columns: name, input, replicas, utilization.
    ['scales up above the target', { usage: [100, 100] }, 4, 100],
    ['scales down below the target', { usage: [10, 10, 10] }, 1, 10],
    ['keeps the size within the tolerance', { usage: [55, 54] }, 2, 54],
    ['assumes no usage for a pod without a measurement when scaling up', { usage: [100, 100, undefined] }, 4, 100],
    ['assumes full usage for a pod without a measurement when scaling down', { usage: [10, 10, undefined] }, 3, 10],
    [
      'assumes no usage for pending pods',
      { usage: [100, 100, undefined, undefined], states: { 2: 'pending', 3: 'pending' } },
      4,
      100,
    ],
    [
      'does not count failed and deleted pods',
      { usage: [100, 500, 500], states: { 1: 'failed', 2: 'deleting' } },
      2,
      100,
    ],
    ['ignores the CPU usage of starting pods', { usage: [100, 900], states: { 1: 'starting' } }, 2, 100],
    ['ignores the CPU usage of pods that were never ready', { usage: [100, 900], states: { 1: 'unready' } }, 2, 100],
  ])('%s', (_name, row, replicas, utilization) => {
    expect(byUtilization(inputOf(row), 50)).toMatchObject({ replicas, utilization });
  });

  it('counts the memory usage of starting pods', () => {
    const row: Row = { usage: [100_000, 100_000], states: { 0: 'starting' }, resource: 'memory' };
    expect(byUtilization(inputOf(row), 50)).toEqual({ replicas: 4, utilization: 100, averageMilli: 100_000 });
  });

  it('throws if the usage or the requests are unknown', () => {
    const input = inputOf({ usage: [100] });
    expect(() => byUtilization({ ...input, pods: [] }, 50)).toThrow('no pods returned by selector');
    expect(() => byUtilization({ ...input, usages: new Map() }, 50)).toThrow(
      'did not receive metrics for targeted pods',
    );
    expect(() => byUtilization({ ...input, resource: 'gpu' }, 50)).toThrow(
      'missing request for gpu in container c of Pod 0',
    );
    expect(() => byUtilization({ ...input, resource: 'constructor' }, 50)).toThrow('missing request for constructor');
    expect(() => byUtilization({ ...input, container: 'x' }, 50)).toThrow('container x not found in Pod 0');
  });

  it('reads the requests of each pod once', () => {
    const input = inputOf({ usage: [10, ...Array.from({ length: 50 }, () => undefined)] });
    let reads = 0;
    const pods = input.pods.map((pod) => ({
      ...pod,
      get spec(): PodSpec {
        reads++;
        return pod.spec ?? { containers: [] };
      },
    }));
    byUtilization({ ...input, pods }, 50);
    expect(reads).toBe(pods.length);
  });
});

describe('byAverage', () => {
  it.each<[string, Row, number]>([
    ['scales up above the target', { usage: [300, 100] }, 4],
    ['keeps the size within the tolerance', { usage: [100, 105] }, 2],
    ['scales down below the target', { usage: [30, 30, 30] }, 1],
    ['assumes that a pod without a measurement meets the target when scaling down', { usage: [10, 10, undefined] }, 2],
  ])('%s', (_name, row, replicas) => {
    expect(byAverage(inputOf(row), 100)).toMatchObject({ replicas, utilization: undefined });
  });
});
