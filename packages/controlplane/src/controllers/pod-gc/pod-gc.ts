import { isDeleting, isNotFound, type Stored } from '@kubewright/apimachinery';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import { formatTime } from '@kubewright/apimachinery/internal';
import { controller, enqueueMapped, type ReconcileContext, type ReconcileOutcome, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { PodsByNode } from '../nodes/pods-by-node.ts';
import { deleteObject, patchStatus } from '../object-writes.ts';
import { isPodEnded } from '../pods/pod-state.ts';

/** Minimum time that a node must be missing before its pods are deleted. */
const quarantineMs = 40_000;

/**
 * Deletes pods that no other component deletes: pods of deleted nodes, and terminating pods that were never scheduled. Mirrors
 * the pod garbage collector (1.36), but does not limit the number of finished pods.
 */
export function podGarbageCollector(): BuiltInController {
  const pods = new PodsByNode();
  /** Monotonic time at which each missing node that still has pods was first found missing. */
  const missedAt = new Map<string, number>();
  return {
    account: 'pod-garbage-collector',
    definition: controller({
      name: 'pod-garbage-collector',
      for: Pod,
      watches: [
        watch<Pod>(Pod, (event, queue) => {
          pods.track(event, queue);
          const { nodeName } = event.object.object.spec ?? {};
          if (nodeName !== undefined && pods.on(nodeName).length === 0) missedAt.delete(nodeName);
        }),
        watch<Node>(Node, ({ type, object }) => {
          if (type !== 'delete') missedAt.delete(object.name);
        }),
        watch(
          Node,
          enqueueMapped<Node>(({ name }) => pods.on(name)),
        ),
      ],
      reconcile: (pod, ctx) => reconcile(pod, { ctx, missedAt }),
    }),
  };
}

async function reconcile(
  pod: Stored<Pod>,
  { ctx, missedAt }: { readonly ctx: ReconcileContext<Pod>; readonly missedAt: Map<string, number> },
): Promise<ReconcileOutcome> {
  const { nodeName } = pod.spec ?? {};
  if (!nodeName) {
    if (isDeleting(pod)) await remove(pod, ctx);
    return undefined;
  }
  if (ctx.cache.lister(Node).get({ name: nodeName }) !== undefined) return undefined;
  const now = ctx.clock.monotonic();
  const since = missedAt.get(nodeName) ?? now;
  missedAt.set(nodeName, since);
  const leftMs = since + quarantineMs - now;
  if (leftMs > 0) return { requeueAfterMs: leftMs };
  if (await exists(nodeName, ctx)) return undefined;
  await remove(await failed(pod, { ctx, message: 'PodGC: node no longer exists' }), ctx);
  return undefined;
}

/** Reads the node live, because the cache may be stale. */
async function exists(name: string, { client, signal }: ReconcileContext<Pod>): Promise<boolean> {
  try {
    await client.resource(Node).get({ name }, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Marks a pod as failed. Adds a condition, so that the pod's owner can see that the pod itself did not cause the failure. */
async function failed(
  pod: Stored<Pod>,
  { ctx, message }: { readonly ctx: ReconcileContext<Pod>; readonly message: string },
): Promise<Stored<Pod>> {
  if (isPodEnded(pod)) return pod;
  const lastTransitionTime = formatTime(ctx.clock.now());
  const target = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message, lastTransitionTime };
  // The controller's role allows only patches. A strategic merge patch merges conditions by type.
  const body = { metadata: { uid: pod.metadata.uid }, status: { phase: 'Failed', conditions: [target] } };
  return patchStatus(ctx, { kind: Pod, object: pod, patch: { type: 'strategic', body } });
}

async function remove(pod: Stored<Pod>, ctx: ReconcileContext<Pod>): Promise<void> {
  await deleteObject(ctx, { kind: Pod, object: pod, gracePeriodSeconds: 0 });
}
