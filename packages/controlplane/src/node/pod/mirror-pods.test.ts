import { Pod } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { MirrorPods } from './mirror-pods.ts';

const mirrors = new MirrorPods({
  nodeName: 'kw',
  podIP: '10.0.0.1',
  version: 'v1.36.3',
  components: ['kube-apiserver', 'kube-scheduler'],
});

describe('MirrorPods', () => {
  it('lists the key of each component', () => {
    expect(mirrors.keys).toEqual([
      { namespace: 'kube-system', name: 'kube-apiserver-kw' },
      { namespace: 'kube-system', name: 'kube-scheduler-kw' },
    ]);
  });

  it.each([
    ['a component', 'kube-system', 'kube-apiserver-kw', {}, true],
    ['a former component', 'kube-system', 'etcd-kw', { 'kubernetes.io/config.mirror': 'etcd-in-process' }, true],
    ['the same name in another namespace', 'default', 'kube-apiserver-kw', {}, false],
    ['the component of another node', 'kube-system', 'kube-apiserver-other', {}, false],
    ['any other pod', 'kube-system', 'coredns', {}, false],
  ])('checks if %s is a mirror pod', (_, namespace, name, annotations, expected) => {
    const key = { namespace, name };
    const pod = Pod({ metadata: { ...key, annotations }, spec: { containers: [] } });
    expect(mirrors.include(key, pod)).toBe(expected);
    if (Object.keys(annotations).length === 0) expect(mirrors.include(key, undefined)).toBe(expected);
  });
});
