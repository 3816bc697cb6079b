import { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { StorageClass } from '@kubewright/apimachinery/storage/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { isRejection } from '../framework/plugin.ts';
import { type TestObjects, testNode, testPending, testView } from '../testdata/test-view.ts';
import { verdicts } from '../testdata/verdicts.ts';
import { VolumeFilter, volumeBinding } from './volume-binding.ts';

const nodes = [testNode('a'), testNode('b')];
const bound = { 'pv.kubernetes.io/bind-completed': 'yes' };
const claim = (storageClassName: string, more: { volumeName?: string; annotations?: Record<string, string> } = {}) => {
  const { annotations = {}, ...rest } = more;
  return stored(
    PersistentVolumeClaim({
      metadata: { name: 'data', namespace: 'd', annotations },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, storageClassName, ...rest },
    }),
  );
};
const volume = (name: string, more: { host?: string; storage?: string; phase?: 'Available' | 'Bound' } = {}) => {
  const { host, storage = '2Gi', phase = 'Available' } = more;
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: [host ?? ''] }];
  const made = PersistentVolume({
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'wait',
      ...(host !== undefined && { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } }),
    },
  });
  return stored({ ...made, status: { phase } });
};
const storageClass = (provisioner: string, volumeBindingMode: 'Immediate' | 'WaitForFirstConsumer', name = 'wait') =>
  StorageClass({ metadata: { name }, provisioner, volumeBindingMode });
const manual = storageClass('kubernetes.io/no-provisioner', 'WaitForFirstConsumer');
const dynamic = storageClass('example.com/disks', 'WaitForFirstConsumer');
const pod = testPending('p', {
  spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
});
const both = (verdict: string) => ({ a: verdict, b: verdict });
const none = "node(s) didn't find available persistent volumes to bind";

describe('VolumeBinding', () => {
  it.each<[string, TestObjects, Record<string, string>]>([
    ['a missing claim', {}, both('persistentvolumeclaim "data" not found')],
    [
      'an unbound claim whose class does not wait for a pod',
      { claims: [claim('')] },
      both('pod has unbound immediate PersistentVolumeClaims'),
    ],
    [
      'a claim bound to a volume on one node',
      {
        claims: [claim('wait', { volumeName: 'v', annotations: bound })],
        volumes: [volume('v', { host: 'a', phase: 'Bound' })],
      },
      { a: 'fits', b: "node(s) didn't match PersistentVolume's node affinity" },
    ],
    [
      'a claim bound to a missing volume',
      { claims: [claim('wait', { volumeName: 'v', annotations: bound })] },
      both('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'),
    ],
    ['a claim without a volume to bind', { claims: [claim('wait')], storageClasses: [manual] }, both(none)],
    [
      'a claim with a volume on one node',
      { claims: [claim('wait')], storageClasses: [manual], volumes: [volume('v', { host: 'b' })] },
      { a: none, b: 'fits' },
    ],
    [
      'a claim with a volume that is too small',
      { claims: [claim('wait')], storageClasses: [manual], volumes: [volume('v', { storage: '1Gi' })] },
      both(none),
    ],
    ['a claim whose class provisions volumes', { claims: [claim('wait')], storageClasses: [dynamic] }, both('fits')],
    [
      'a claim that is being provisioned on one node',
      {
        claims: [claim('wait', { annotations: { 'volume.kubernetes.io/selected-node': 'a' } })],
        storageClasses: [dynamic],
      },
      { a: 'fits', b: none },
    ],
  ])('filters: %s', (_name, objects, expected) => {
    expect(verdicts(volumeBinding, pod, { nodes, ...objects })).toEqual(expected);
  });

  it('chooses the smallest volume that is large enough', () => {
    const volumes = [
      volume('large', { storage: '9Gi' }),
      volume('fitting', { storage: '3Gi' }),
      volume('small', { storage: '1Gi' }),
    ];
    const view = testView({ nodes, claims: [claim('wait')], storageClasses: [manual], volumes });
    const filter = volumeBinding.preFilter?.(pod, view);
    if (!filter || isRejection(filter) || !(filter instanceof VolumeFilter)) throw new Error('no filter');
    for (const node of view.cache.nodes) filter.filter(node);
    expect(filter.volumesOn('a')?.bindings.map((binding) => binding.volume.metadata.name)).toEqual(['fitting']);
  });
});
