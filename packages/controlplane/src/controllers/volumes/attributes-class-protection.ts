import { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { VolumeAttributesClass } from '@kubewright/apimachinery/storage/v1';
import { controller, enqueueMapped, type IndexFunc, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { protectUntil } from './protection.ts';

const finalizer = 'kubernetes.io/vac-protection';

const byClaimedClass: IndexFunc<PersistentVolumeClaim> = ({ object }) => classesOfClaim(object);
const byVolumeClass: IndexFunc<PersistentVolume> = ({ object }) => classesOfVolume(object);

/**
 * Keeps a VolumeAttributesClass that is being deleted while a volume or claim refers to it. Mirrors the vac-protection controller
 * (1.36).
 */
export function attributesClassProtectionController(): BuiltInController {
  return {
    account: 'volumeattributesclass-protection-controller',
    definition: controller({
      name: 'volumeattributesclass-protection',
      for: VolumeAttributesClass,
      watches: [
        watch(
          PersistentVolumeClaim,
          enqueueMapped<PersistentVolumeClaim>(({ object }) => classesOfClaim(object).map((name) => ({ name }))),
          { indexes: { attributesClass: byClaimedClass } },
        ),
        watch(
          PersistentVolume,
          enqueueMapped<PersistentVolume>(({ object }) => classesOfVolume(object).map((name) => ({ name }))),
          { indexes: { attributesClass: byVolumeClass } },
        ),
      ],
      reconcile: (attributes, ctx) => {
        const index = { name: 'attributesClass', value: attributes.metadata.name };
        const isUnused = () =>
          ctx.cache.lister(PersistentVolume).views({ index }).length === 0 &&
          ctx.cache.lister(PersistentVolumeClaim).views({ index }).length === 0;
        return protectUntil(ctx, { kind: VolumeAttributesClass, object: attributes, finalizer, isUnused });
      },
    }),
  };
}

function classesOfClaim({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name): name is string => Boolean(name)))];
}

function classesOfVolume({ spec }: PersistentVolume): readonly string[] {
  return spec?.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];
}
