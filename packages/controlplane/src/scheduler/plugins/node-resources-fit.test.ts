import type { PodSpec } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { podInfo } from '../cluster/pod-info.ts';
import { nodeChanges } from '../node-events.ts';
import { requesting, testNode, testPending, testPod } from '../testdata/test-view.ts';
import { reconsiders, scores, verdicts } from '../testdata/verdicts.ts';
import { nodeResourcesFit } from './node-resources-fit.ts';

const container = (name: string, requests: Readonly<Record<string, string>>, more = {}) => ({
  name,
  image: 'i',
  resources: { requests },
  ...more,
});
const always = { restartPolicy: 'Always' as const };

describe('NodeResourcesFit', () => {
  // The node has 4 CPUs, 8 GiB of memory and two cards. 3 CPUs are in use.
  it.each<[string, Partial<PodSpec>, string]>([
    ['a pod without requests', {}, 'fits'],
    ['exactly the CPU that is free', requesting({ cpu: '1' }), 'fits'],
    ['more CPU than is free', requesting({ cpu: '1001m' }), 'Insufficient cpu'],
    ['several resources', requesting({ cpu: '2', memory: '9Gi' }), 'Insufficient cpu, Insufficient memory'],
    ['an extended resource', requesting({ 'example.com/card': '2' }), 'fits'],
    ['too much of an extended resource', requesting({ 'example.com/card': '3' }), 'Insufficient example.com/card'],
    ['a resource that the node lacks', requesting({ 'example.com/other': '1' }), 'Insufficient example.com/other'],
    ['ephemeral storage', requesting({ 'ephemeral-storage': '1' }), 'Insufficient ephemeral-storage'],
    [
      'fractions of a millicore that add up to a whole number',
      { containers: [container('a', { cpu: '999.5m' }), container('b', { cpu: '0.5m' })] },
      'fits',
    ],
    ['overhead', { ...requesting({ cpu: '900m' }), overhead: { cpu: '101m' } }, 'Insufficient cpu'],
    [
      'an init container that requests more than the main containers',
      { ...requesting({ cpu: '100m' }), initContainers: [container('init', { cpu: '1100m' })] },
      'Insufficient cpu',
    ],
    [
      'an init container that runs before the main containers',
      { ...requesting({ cpu: '900m' }), initContainers: [container('init', { cpu: '900m' })] },
      'fits',
    ],
    [
      'a sidecar that runs alongside the main containers',
      { ...requesting({ cpu: '900m' }), initContainers: [container('sidecar', { cpu: '200m' }, always)] },
      'Insufficient cpu',
    ],
    [
      'an init container that runs alongside an earlier sidecar',
      { initContainers: [container('sidecar', { cpu: '600m' }, always), container('init', { cpu: '600m' })] },
      'Insufficient cpu',
    ],
    [
      'pod-level requests that replace those of the containers',
      { ...requesting({ cpu: '3' }), resources: { requests: { cpu: '1' } } },
      'fits',
    ],
  ])('compares requests with free resources: %s', (_name, spec, verdict) => {
    const nodes = [testNode('n', { allocatable: { 'example.com/card': '2' } })];
    const pods = [testPod('other', { spec: { ...requesting({ cpu: '3' }), nodeName: 'n' } })];
    expect(verdicts(nodeResourcesFit, testPending('p', { spec }), { nodes, pods })).toEqual({ n: verdict });
  });

  it('limits the number of pods', () => {
    const nodes = [testNode('n', { allocatable: { pods: '1' } })];
    const pods = [testPod('other', { spec: { nodeName: 'n' } })];
    expect(verdicts(nodeResourcesFit, testPending('p'), { nodes, pods })).toEqual({ n: 'Too many pods' });
  });

  it('counts a container that is being resized with the largest of its desired, actual and allocated requests', () => {
    const resized = testPod('other', {
      spec: { ...requesting({ cpu: '1' }), nodeName: 'n' },
      status: {
        containerStatuses: [
          {
            name: 'c',
            image: 'i',
            imageID: '',
            ready: true,
            restartCount: 0,
            resources: { requests: { cpu: '3500m' } },
          },
        ],
      },
    });
    const pod = testPending('p', { spec: requesting({ cpu: '1' }) });
    expect(verdicts(nodeResourcesFit, pod, { nodes: [testNode('n')], pods: [resized] })).toEqual({
      n: 'Insufficient cpu',
    });
  });

  it('prefers nodes with more free resources, assuming a default for containers without requests', () => {
    const pods = [testPod('a', { spec: { nodeName: 'busy' } }), testPod('b', { spec: { nodeName: 'busy' } })];
    const nodes = [testNode('busy'), testNode('free')];
    expect(scores(nodeResourcesFit, testPending('p'), { nodes, pods })).toEqual({ busy: 92, free: 97 });
  });

  it('reconsiders a pod when resources that it requests become free', () => {
    const pod = testPending('p', { spec: requesting({ cpu: '2' }) });
    const sized = (cpu: string, memory = '8Gi') => testNode('n', { allocatable: { cpu, memory } });
    const old = podInfo(testPod('other', { spec: { nodeName: 'n' } }));
    const events = [
      ...nodeChanges(sized('1'), sized('2')),
      ...nodeChanges(sized('1'), sized('1500m')),
      ...nodeChanges(sized('4', '1Gi'), sized('4', '2Gi')),
      ...nodeChanges(undefined, sized('1')),
      { resource: 'Pod', action: 'Delete', old } as const,
    ];
    expect(events.map((event) => reconsiders(nodeResourcesFit, pod, event))).toEqual([true, false, false, false, true]);
  });
});
