import { PersistentVolume } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { protectUntil } from './protection.ts';

const finalizer = 'kubernetes.io/pv-protection';

/** Keeps a volume that is being deleted while it is bound to a claim. Mirrors the pv-protection controller (1.36). */
export function volumeProtectionController(): BuiltInController {
  return {
    account: 'pv-protection-controller',
    definition: controller({
      name: 'pv-protection',
      for: PersistentVolume,
      reconcile: (volume, ctx) =>
        protectUntil(ctx, {
          kind: PersistentVolume,
          object: volume,
          finalizer,
          isUnused: () => volume.status?.phase !== 'Bound',
        }),
    }),
  };
}
