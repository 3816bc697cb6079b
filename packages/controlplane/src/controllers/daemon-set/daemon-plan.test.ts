import type { Stored } from '@kubewright/apimachinery';
import { DaemonSet, type DaemonSetSpec } from '@kubewright/apimachinery/apps/v1';
import { Node, Pod, type PodSpec, type Taint } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { type DaemonState, planDaemons } from './daemon-plan.ts';
import { FailedPodBackoff } from './failed-pod-backoff.ts';
import { nodeFit } from './node-fit.ts';
import { planUpdate } from './rolling-update.ts';

const nowMs = Date.UTC(2026, 0, 2);
const selector = { matchLabels: { app: 'a' } };

function daemonSet(spec: Partial<DaemonSetSpec> = {}, pod: Partial<PodSpec> = {}): Stored<DaemonSet> {
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }], ...pod } };
  return stored(
    DaemonSet({ metadata: { name: 'a', namespace: 'n', uid: 'u' }, spec: { selector, template, ...spec } }),
  );
}

const node = (name: string, taints: readonly Taint[] = []): Stored<Node> =>
  stored(Node({ metadata: { name }, spec: { taints } }));
const taint = (key: string, effect: Taint['effect']): Taint => ({ key, effect });

describe('nodeFit', () => {
  const run = { shouldRun: true, shouldContinue: true };
  const stay = { shouldRun: false, shouldContinue: true };
  const leave = { shouldRun: false, shouldContinue: false };
  it.each<[string, Partial<PodSpec>, readonly Taint[], object]>([
    ['runs on any node by default', {}, [], run],
    ['does not run if the pod names another node', { nodeName: 'other' }, [], leave],
    ['does not run if the nodeSelector does not match', { nodeSelector: { disk: 'ssd' } }, [], leave],
    ['runs on a cordoned node', {}, [taint('node.kubernetes.io/unschedulable', 'NoSchedule')], run],
    ['runs on a node that is not ready', {}, [taint('node.kubernetes.io/not-ready', 'NoExecute')], run],
    ['stays on a node with an untolerated NoSchedule taint', {}, [taint('gpu', 'NoSchedule')], stay],
    ['leaves a node with an untolerated NoExecute taint', {}, [taint('gpu', 'NoExecute')], leave],
    [
      'runs on a node whose taint it tolerates',
      { tolerations: [{ key: 'gpu', operator: 'Exists' }] },
      [taint('gpu', 'NoExecute')],
      run,
    ],
    ['stays on a node without network', {}, [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')], stay],
    [
      'runs on a node without network if it uses the host network',
      { hostNetwork: true },
      [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')],
      run,
    ],
  ])('%s', (_name, pod, taints, expected) => {
    expect(nodeFit(daemonSet({}, pod), node('one', taints))).toEqual(expected);
  });
});

/** Builds pods from descriptions such as `a1:new,ready`, which is a pod named a1 on node a. */
function stateOf(set: Stored<DaemonSet>, texts: readonly string[], nodes: readonly string[]): DaemonState {
  const pods = new Map<string, Stored<Pod>[]>();
  for (const text of texts) {
    const [name = '', flags = ''] = text.split(':');
    const is = (flag: string): boolean => flags.split(',').includes(flag);
    const pod = Pod({
      metadata: {
        name,
        labels: { 'controller-revision-hash': is('new') ? 'h2' : 'h1' },
        creationTimestamp: new Date(nowMs - 60_000).toISOString(),
        ...(is('deleting') && { deletionTimestamp: new Date(nowMs).toISOString() }),
      },
      spec: { nodeName: is('pending') ? '' : name.slice(0, 1), containers: [] },
    });
    const ready = {
      type: 'Ready',
      status: is('ready') ? 'True' : 'False',
      lastTransitionTime: new Date(0).toISOString(),
    };
    const status = { phase: is('failed') ? 'Failed' : 'Running', conditions: [ready] } as const;
    pods.set(name.slice(0, 1), [...(pods.get(name.slice(0, 1)) ?? []), stored<Pod>({ ...pod, status })]);
  }
  return { set, nodes: nodes.map((name) => node(name)), pods, hash: 'h2', nowMs };
}

const names = (pods: readonly Pod[]): string => pods.map(({ metadata }) => metadata.name).join(' ');

describe('planDaemons', () => {
  const surging = daemonSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } });
  it.each<[string, Stored<DaemonSet>, readonly string[], { create?: string; remove?: string; failed?: string }]>([
    ['creates missing pods', daemonSet(), ['a1:new'], { create: 'b' }],
    ['waits for pods that are being deleted', daemonSet(), ['a1:deleting', 'b1'], {}],
    ['keeps the older of two pods', daemonSet(), ['a1', 'a2', 'b1'], { remove: 'a2' }],
    [
      'keeps a scheduled pod rather than an older pending one',
      daemonSet(),
      ['a1:pending', 'a2', 'b1'],
      { remove: 'a1' },
    ],
    ['reports failed pods', daemonSet(), ['a1:failed', 'b1'], { failed: 'a1' }],
    ['deletes pending pods of a deleted node', daemonSet(), ['a1', 'b1', 'c1:pending', 'd1'], { remove: 'c1' }],
    ['lets an old and a new pod run during a surge', surging, ['a1:ready', 'a2:new', 'b1'], {}],
    [
      'removes the old pod when the new pod is available',
      surging,
      ['a1:ready', 'a2:new,ready', 'b1'],
      { remove: 'a1' },
    ],
    ['removes the old pod when it is not ready', surging, ['a1', 'a2:new', 'b1'], { remove: 'a1' }],
    ['creates a pod while the old one is being deleted', surging, ['a1:deleting', 'b1'], { create: 'a' }],
  ])('%s', (_name, set, pods, { create = '', remove = '', failed = '' }) => {
    const plan = planDaemons(stateOf(set, pods, ['a', 'b']));
    expect(plan.create.join(' ')).toBe(create);
    expect(names(plan.remove)).toBe(remove);
    expect(names(plan.failed.map(({ pod }) => pod))).toBe(failed);
  });
});

describe('planUpdate', () => {
  const rolling = (rollingUpdate: object) => daemonSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
  const three = ['a', 'b', 'c'];
  it.each<[string, object, readonly string[], string, string]>([
    // Columns: name, strategy, pods, created pods, removed pods.
    ['replaces one pod at a time', { maxUnavailable: 1 }, ['a1:ready', 'b1:ready', 'c1:ready'], '', 'a1'],
    ['rounds a percentage up', { maxUnavailable: '34%' }, ['a1:ready', 'b1:ready', 'c1:ready'], '', 'a1 b1'],
    ['waits until the new pod is available', { maxUnavailable: 1 }, ['a1:new', 'b1:ready', 'c1:ready'], '', ''],
    ['deletes unavailable pods immediately', { maxUnavailable: 1 }, ['a1:ready', 'b1', 'c1'], '', 'b1 c1'],
    [
      'replaces one pod if neither surge nor unavailability is allowed',
      { maxUnavailable: 0 },
      ['a1:ready', 'b1:ready', 'c1:ready'],
      '',
      'a1',
    ],
    ['counts a node without a pod as unavailable', { maxUnavailable: 1 }, ['b1:ready', 'c1:ready'], '', ''],
    [
      'creates one new pod with a surge of 1',
      { maxSurge: 1, maxUnavailable: 0 },
      ['a1:ready', 'b1:ready', 'c1:ready'],
      'a',
      '',
    ],
    [
      'waits while a new pod is not available',
      { maxSurge: 1, maxUnavailable: 0 },
      ['a1:ready', 'a2:new', 'b1:ready', 'c1:ready'],
      '',
      '',
    ],
    [
      'deletes an old pod whose replacement is available',
      { maxSurge: 1 },
      ['a1:ready', 'a2:new,ready', 'b1:ready', 'c1:ready'],
      'b',
      'a1',
    ],
    [
      'replaces all unavailable pods regardless of the surge limit',
      { maxSurge: 1 },
      ['a1', 'b1', 'c1:ready'],
      'a b c',
      '',
    ],
    [
      'keeps a pod on a node where it no longer belongs until enough other pods are available',
      { maxSurge: 1 },
      ['a1:new', 'b1:new,ready', 'c1:new,ready', 'd1:ready'],
      '',
      '',
    ],
    [
      'deletes a pod on a node where it no longer belongs',
      { maxSurge: 1 },
      ['a1:new,ready', 'b1:new,ready', 'c1:new,ready', 'd1:ready'],
      '',
      'd1',
    ],
  ])('%s', (_name, strategy, pods, created, removed) => {
    const plan = planUpdate(stateOf(rolling(strategy), pods, three));
    expect({ created: plan.create.join(' '), removed: names(plan.remove) }).toEqual({ created, removed });
  });
});

describe('FailedPodBackoff', () => {
  it('doubles the delay from one second to 15 minutes, and resets it after half an hour', () => {
    const backoff = new FailedPodBackoff();
    expect(backoff.delayMs('node', 0)).toBeUndefined();
    let atMs = 0;
    const delays: number[] = [];
    for (let failures = 0; failures < 12; failures++) {
      backoff.note('node', atMs);
      const delay = backoff.delayMs('node', atMs) ?? 0;
      delays.push(delay / 1_000);
      atMs += delay;
      expect(backoff.delayMs('node', atMs)).toBeUndefined();
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    backoff.note('node', atMs + 3_600_000);
    expect(backoff.delayMs('node', atMs + 3_600_000)).toBe(1_000);
  });
});
