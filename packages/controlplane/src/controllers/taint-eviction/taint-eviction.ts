import { isDeleting, isNotFound } from '@kubewright/apimachinery';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import { defined, formatTime, sameJson } from '@kubewright/apimachinery/internal';
import {
  enqueueForObject,
  enqueueMapped,
  type ReconcileOutcome,
  type ReconcileRequest,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { PodsByNode } from '../nodes/pods-by-node.ts';
import { evictionDelayMs } from './eviction-delay.ts';

/**
 * Evicts pods that do not tolerate the NoExecute taints of their node, immediately or once their toleration expires. Mirrors the
 * taint eviction controller (1.36).
 */
export function taintEvictionController(): BuiltInController {
  const pods = new PodsByNode();
  const eviction = new TaintEviction();
  return {
    account: 'node-controller',
    definition: requestController({
      name: 'taint-eviction-controller',
      for: Pod,
      maxConcurrentReconciles: 8,
      watches: [
        watch(Pod, pods.track),
        watch(Pod, enqueueForObject<Pod>(), {
          predicates: [
            (event) =>
              event.type !== 'update' ||
              event.old.object.spec?.nodeName !== event.object.object.spec?.nodeName ||
              !sameJson(event.old.object.spec?.tolerations ?? [], event.object.object.spec?.tolerations ?? []),
          ],
        }),
        watch(
          Node,
          enqueueMapped<Node>(({ name }) => pods.on(name)),
          {
            predicates: [
              (event) =>
                event.type !== 'update' ||
                !sameJson(event.old.object.spec?.taints ?? [], event.object.object.spec?.taints ?? []),
            ],
          },
        ),
      ],
      reconcile: (request, ctx) => eviction.reconcile(request, ctx),
    }),
  };
}

class TaintEviction {
  readonly #events = new CoreEventRecorder('taint-eviction-controller');
  /** The scheduled evictions by pod. `dueMs` is a monotonic time. */
  readonly #due = new Map<string, { readonly uid: string; readonly dueMs: number }>();

  reconcile(request: ReconcileRequest, ctx: RequestContext): Promise<ReconcileOutcome> {
    return this.#events.during(ctx, () => this.#reconcile(request, ctx));
  }

  async #reconcile(request: ReconcileRequest, ctx: RequestContext): Promise<ReconcileOutcome> {
    const key = `${request.namespace}/${request.name}`;
    const pod = ctx.cache.lister(Pod).get(request);
    const { nodeName = '', tolerations = [] } = pod?.spec ?? {};
    const taints = nodeName === '' ? [] : (ctx.cache.lister(Node).get({ name: nodeName })?.spec?.taints ?? []);
    const planned = this.#due.get(key);
    const isSame = planned !== undefined && planned.uid === pod?.metadata.uid;
    const delayMs = pod ? evictionDelayMs(taints, tolerations) : Number.POSITIVE_INFINITY;
    // The pod may have been deleted and recreated under the same name.
    if (planned && (!isSame || delayMs === Number.POSITIVE_INFINITY)) {
      this.#due.delete(key);
      // prose-ok: upstream's text
      this.#note(ctx, `Cancelling deletion of Pod ${key}`);
    }
    if (!pod || delayMs === Number.POSITIVE_INFINITY) return undefined;
    const nowMs = ctx.clock.monotonic();
    // A change of the pod's tolerations does not move a scheduled eviction, but can cancel it or make it immediate.
    const dueMs = delayMs === 0 ? nowMs : isSame ? planned.dueMs : nowMs + delayMs;
    this.#due.set(key, { uid: pod.metadata.uid, dueMs });
    if (dueMs > nowMs) return { requeueAfterMs: dueMs - nowMs };
    this.#due.delete(key);
    if (!isDeleting(pod)) {
      this.#note(ctx, `Marking for deletion Pod ${key}`);
      await evict(pod, ctx);
    }
    return undefined;
  }

  #note(ctx: RequestContext, message: string): void {
    const { namespace, name } = ctx.request;
    const metadata = { name, ...defined({ namespace }) };
    const about = { apiVersion: 'v1', kind: 'Pod', metadata };
    this.#events.record(ctx, { about, reason: 'TaintManagerEviction', message });
  }
}

async function evict(pod: Pod, { client, clock, signal, request }: RequestContext): Promise<void> {
  const { uid } = pod.metadata;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    lastTransitionTime: formatTime(clock.now()),
  };
  const pods = client.resource(Pod);
  try {
    const body = { metadata: { uid }, status: { conditions: [condition] } };
    await pods.status.patch(request, { type: 'strategic', body }, { signal });
    await pods.delete(request, { preconditions: { uid }, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
