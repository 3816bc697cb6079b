import { formatTime } from '@kubewright/apimachinery/internal';
import type { KindStrategy } from '../builtin-kind.ts';
import type { APIService } from '../generated/drafts.ts';

/** Marks a local APIService as available when it is created. The availability of all other APIServices is checked later. */
export const apiServiceStrategy: KindStrategy<APIService> = {
  prepareForCreate(object, { clock }) {
    if (object.spec.service !== undefined) return;
    const condition = {
      type: 'Available',
      status: 'True',
      lastTransitionTime: formatTime(clock.now()),
      reason: 'Local',
      message: 'Local APIServices are always available',
    };
    object.status = { conditions: [condition] };
  },
};
