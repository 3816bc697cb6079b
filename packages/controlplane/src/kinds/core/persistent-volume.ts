import { formatTime } from '@kubewright/apimachinery/internal';
import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { PersistentVolume } from '../generated/drafts.ts';
import { protect } from './protect.ts';

/** Persistent volumes. The server sets the time of the last phase change. */
export const persistentVolumes: BuiltinKind = builtinKind<PersistentVolume>({
  resource: '/v1/persistentvolumes',
  struct: 'v1.PersistentVolume',
  strategy: {
    prepareForCreate({ metadata, status }, { clock }) {
      protect(metadata, 'kubernetes.io/pv-protection');
      status.phase = 'Pending';
      status.lastPhaseTransitionTime = formatTime(clock.now());
    },
  },
  subresources: {
    status: {
      prepareForUpdate({ status }, old, { clock }) {
        const before = old.status.lastPhaseTransitionTime;
        const untouched = status.lastPhaseTransitionTime === undefined || status.lastPhaseTransitionTime === before;
        if (status.phase !== old.status.phase && untouched) status.lastPhaseTransitionTime = formatTime(clock.now());
        else if (before !== undefined) status.lastPhaseTransitionTime ??= before;
      },
    },
  },
});
