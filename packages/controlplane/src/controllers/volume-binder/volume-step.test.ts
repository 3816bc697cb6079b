import { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { unboundVolume, volumeBoundTo } from './binding.ts';
import { volumeStep } from './volume-step.ts';

const bound = { namespace: 'n', name: 'c', uid: '1' };
const provisioned = { 'pv.kubernetes.io/provisioned-by': 'example.com/disks' };
const none = 'error getting deleter volume plugin for volume "v": no deletable volume plugin matched';

function volume(spec: PersistentVolume['spec'], annotations: Readonly<Record<string, string>> = {}) {
  return stored(PersistentVolume({ metadata: { name: 'v', annotations }, ...defined({ spec }) }));
}

function claim(spec: PersistentVolumeClaim['spec'] = {}) {
  return stored(PersistentVolumeClaim({ metadata: { name: 'c', namespace: 'n', uid: '1' }, spec }));
}

describe('volumeStep', () => {
  it.each<[string, PersistentVolume, PersistentVolumeClaim | undefined, object]>([
    ['free', volume({}), undefined, { step: 'setPhase', phase: 'Available' }],
    [
      'reserved for a claim by name',
      volume({ claimRef: { namespace: 'n', name: 'c' } }),
      undefined,
      { step: 'setPhase', phase: 'Available' },
    ],
    ['bound', volume({ claimRef: bound }), claim({ volumeName: 'v' }), { step: 'setPhase', phase: 'Bound' }],
    ['bound to a claim that is not bound yet', volume({ claimRef: bound }), claim(), { step: 'bindClaim' }],
    ['of another mode than its claim', volume({ claimRef: bound, volumeMode: 'Block' }), claim(), { step: 'reject' }],
    [
      'retained after its claim is deleted',
      volume({ claimRef: bound, persistentVolumeReclaimPolicy: 'Retain' }),
      undefined,
      { step: 'release', reclaim: {} },
    ],
    [
      'to be deleted by its provisioner',
      volume({ claimRef: bound, persistentVolumeReclaimPolicy: 'Delete' }, provisioned),
      undefined,
      { step: 'release', reclaim: {} },
    ],
    [
      'to be deleted but has no provisioner',
      volume({ claimRef: bound, persistentVolumeReclaimPolicy: 'Delete' }),
      undefined,
      { step: 'release', reclaim: { failure: { reason: 'VolumeFailedDelete', message: none } } },
    ],
    [
      'to be recycled',
      volume({ claimRef: bound, persistentVolumeReclaimPolicy: 'Recycle' }),
      undefined,
      {
        step: 'release',
        reclaim: { failure: { reason: 'VolumeFailedRecycle', message: 'No recycler plugin found for the volume!' } },
      },
    ],
    [
      'bound to a claim that is bound to another volume',
      volume({ claimRef: bound }),
      claim({ volumeName: 'w' }),
      { step: 'unbind' },
    ],
    [
      'provisioned for a claim that is bound to another volume',
      volume({ claimRef: bound, persistentVolumeReclaimPolicy: 'Delete' }, provisioned),
      claim({ volumeName: 'w' }),
      { step: 'release', reclaim: {} },
    ],
  ])('handles a volume that is %s', (_name, given, of, expected) => {
    expect(volumeStep(given, of)).toEqual(expected);
  });
});

describe('unboundVolume', () => {
  it('removes the claim from a volume that the binder bound', () => {
    const free = volume({ capacity: { storage: '1Gi' } });
    expect(unboundVolume(volumeBoundTo(free, claim()))).toEqual(free);
  });

  it('keeps a volume reserved if a user reserved it', () => {
    const reserved = volume({ claimRef: { namespace: 'n', name: 'c' } });
    expect(unboundVolume(volumeBoundTo(reserved, claim())).spec?.claimRef).toMatchObject({ namespace: 'n', name: 'c' });
    expect(unboundVolume(volumeBoundTo(reserved, claim())).spec?.claimRef?.uid).toBeUndefined();
  });
});
