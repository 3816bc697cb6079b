import { PersistentVolumeClaim, type Volume } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { testNode, testPending, testPod } from '../testdata/test-view.ts';
import { verdicts } from '../testdata/verdicts.ts';
import { volumeRestrictions } from './volume-restrictions.ts';

const taken = 'node(s) had no available disk';
const disk = (pdName: string, readOnly: boolean): Omit<Volume, 'name'> => ({ gcePersistentDisk: { pdName, readOnly } });
const image = (monitors: string[], readOnly: boolean): Omit<Volume, 'name'> => ({
  rbd: { monitors, image: 'i', readOnly },
});

describe('VolumeRestrictions', () => {
  it.each<[Omit<Volume, 'name'>, Omit<Volume, 'name'>, string]>([
    [disk('d', true), disk('d', true), 'fits'],
    [disk('d', false), disk('d', true), taken],
    [disk('d', false), disk('e', false), 'fits'],
    [{ awsElasticBlockStore: { volumeID: 'v' } }, { awsElasticBlockStore: { volumeID: 'v' } }, taken],
    [image(['m1', 'm2'], false), image(['m2'], false), taken],
    [image(['m1'], false), image(['m2'], false), 'fits'],
  ])('compares a used volume %o with a requested volume %o', (used, wanted, verdict) => {
    const pods = [testPod('other', { spec: { nodeName: 'n', volumes: [{ name: 'v', ...used }] } })];
    const pod = testPending('p', { spec: { volumes: [{ name: 'v', ...wanted }] } });
    expect(verdicts(volumeRestrictions, pod, { nodes: [testNode('n')], pods })).toEqual({ n: verdict });
  });

  it('rejects every node while another pod uses a ReadWriteOncePod claim', () => {
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
    const claims = [
      stored(
        PersistentVolumeClaim({
          metadata: { name: 'data', namespace: 'd' },
          spec: { accessModes: ['ReadWriteOncePod'] },
        }),
      ),
    ];
    const pods = [testPod('other', { spec: { nodeName: 'a', volumes } })];
    const pod = testPending('p', { spec: { volumes } });
    const used =
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';
    const nodes = [testNode('a'), testNode('b')];
    expect(verdicts(volumeRestrictions, pod, { nodes, claims, pods })).toEqual({ a: used, b: used });
    expect(verdicts(volumeRestrictions, pod, { nodes, claims })).toEqual({ a: 'fits', b: 'fits' });
  });
});
