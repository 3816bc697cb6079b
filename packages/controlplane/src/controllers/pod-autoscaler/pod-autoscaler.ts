import { HorizontalPodAutoscaler } from '@kubewright/apimachinery/autoscaling/v2';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import { controller, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { AutoscalerReconcile, type KnownAutoscaler } from './autoscaler-reconcile.ts';

/** The interval at which metrics are read. */
const periodMs = 15_000;

/**
 * Scales workloads by the usage that the resource metrics API reports for their pods. Mirrors the horizontal pod autoscaler
 * (1.36), but does not support metrics of the custom and external APIs.
 */
export function podAutoscalerController(): BuiltInController {
  const events = new CoreEventRecorder('horizontal-pod-autoscaler');
  const namespaces = new Map<string, Map<string, KnownAutoscaler>>();
  return {
    account: 'horizontal-pod-autoscaler',
    definition: controller({
      name: 'horizontal-pod-autoscaler-controller',
      for: HorizontalPodAutoscaler,
      maxConcurrentReconciles: 5,
      predicates: [
        (event) => event.type !== 'update' || !sameJson(event.old.object.spec ?? {}, event.object.object.spec ?? {}),
      ],
      caches: [Pod],
      watches: [
        watch<HorizontalPodAutoscaler>(HorizontalPodAutoscaler, ({ type, object: { namespace, uid } }) => {
          if (type !== 'delete') return;
          namespaces.get(namespace)?.delete(uid);
          if (namespaces.get(namespace)?.size === 0) namespaces.delete(namespace);
        }),
      ],
      async reconcile(autoscaler, ctx) {
        const { namespace, name, uid } = autoscaler.metadata;
        const all = namespaces.get(namespace) ?? new Map<string, KnownAutoscaler>();
        namespaces.set(namespace, all);
        const history = { recommendations: [], added: [], removed: [] };
        const known = all.get(uid) ?? { name, namespace, history, selector: undefined };
        all.set(uid, known);
        const neighbors = () => [...all.values()];
        await events.during(ctx, () => new AutoscalerReconcile(autoscaler, { ctx, events, known, neighbors }).run());
        return { requeueAfterMs: periodMs };
      },
    }),
  };
}
