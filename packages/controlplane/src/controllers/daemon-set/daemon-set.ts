import { ControllerRevision, DaemonSet } from '@kubewright/apimachinery/apps/v1';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import { cached, controller, enqueueForOwner, enqueueMapped, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { byController, OrphanOwners } from '../orphan-owners.ts';
import { PodControl } from '../pods/pod-control.ts';
import { DaemonReconcile } from './daemon-reconcile.ts';
import { FailedPodBackoff } from './failed-pod-backoff.ts';
import { NodeEvents } from './node-events.ts';

const indexes = { controller: byController };

/** Runs a pod on each node that a DaemonSet selects. Mirrors the DaemonSet controller (1.36). */
export function daemonSetController(): BuiltInController {
  const events = new CoreEventRecorder('daemonset-controller');
  const control = new PodControl(events);
  const backoff = new FailedPodBackoff();
  const orphans = new OrphanOwners();
  const nodes = new NodeEvents();
  return {
    account: 'daemon-set-controller',
    definition: controller({
      name: 'daemonset-controller',
      for: DaemonSet,
      maxConcurrentReconciles: 2,
      caches: [cached(ControllerRevision, { indexes })],
      watches: [
        watch(
          DaemonSet,
          orphans.track<DaemonSet>(({ spec }) => spec?.selector),
        ),
        watch(DaemonSet, nodes.track),
        watch(Node, nodes.enqueueAffected, {
          predicates: [
            (event) =>
              event.type !== 'update' ||
              !sameJson(event.old.labels, event.object.labels) ||
              !sameJson(event.old.object.spec?.taints ?? [], event.object.object.spec?.taints ?? []),
          ],
        }),
        watch(Pod, enqueueForOwner<Pod>(DaemonSet), { indexes }),
        watch(
          Pod,
          enqueueMapped<Pod>((view) => orphans.of(view)),
          { indexes },
        ),
      ],
      reconcile: (set, ctx) =>
        events.during(ctx, () => new DaemonReconcile(set, { ctx, events, control, backoff }).run()),
    }),
  };
}
