import { objectKey } from '@kubewright/apimachinery';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import {
  type ControllerDefinition,
  enqueueForObject,
  enqueueMapped,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import { chooseNode } from './choose-node.ts';
import { nodeInfo } from './node-info.ts';

const NAME = 'default-scheduler';

/** Bound pods by uid, until the cache shows the binding. The next choice must already count them. */
type Assumed = Map<string, { readonly pod: Pod; readonly nodeName: string }>;

/**
 * Assigns pods to nodes, one pod at a time, with a minimal version of kube-scheduler's default profile: node name, cordon,
 * taints, node affinity, host ports, resources and scheduling gates. For a pod that fits no node, it sets the reason in the
 * PodScheduled condition and retries when a node or pod changes, and with growing backoff.
 */
export function schedulerController(): ControllerDefinition {
  const assumed: Assumed = new Map();
  return requestController({
    name: NAME,
    for: Pod,
    watches: [
      watch(Pod, enqueueForObject(), { indexes: { waiting: ({ object }) => (isWaiting(object) ? ['true'] : []) } }),
      // Pending pods may now fit on a changed node. The name `*` stands for all pending pods.
      watch(
        Node,
        enqueueMapped(() => [everyWaitingPod]),
      ),
    ],
    reconcile: (request, ctx) =>
      request.name === everyWaitingPod.name
        ? tryAll(ctx, assumed)
        : tryOne(ctx.cache.lister(Pod).get(request), ctx, assumed),
  });
}

const everyWaitingPod = { name: '*' };

function isWaiting({ spec, status, metadata }: Pod): boolean {
  const ended = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return (
    !spec?.nodeName && (spec?.schedulerName ?? NAME) === NAME && metadata.deletionTimestamp === undefined && !ended
  );
}

async function tryAll(ctx: RequestContext, assumed: Assumed): Promise<void> {
  for (const pod of ctx.cache.lister(Pod).list({ index: { name: 'waiting', value: 'true' } })) {
    await tryOne(pod, ctx, assumed);
  }
}

async function tryOne(
  pod: Pod | undefined,
  ctx: RequestContext,
  assumed: Assumed,
): Promise<{ requeue: true } | undefined> {
  if (!pod || !isWaiting(pod) || assumed.has(pod.metadata.uid ?? '')) return undefined;
  if ((pod.spec?.schedulingGates?.length ?? 0) > 0) {
    await markUnscheduled(pod, ctx, {
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    });
    return undefined;
  }
  const choice = chooseNode(pod, nodeInfos(ctx, assumed));
  if ('nodeName' in choice) {
    await bind(pod, choice.nodeName, ctx, assumed);
    return undefined;
  }
  ctx.events.record({
    type: 'Warning',
    reason: 'FailedScheduling',
    action: 'Scheduling',
    note: choice.unschedulable,
    regarding: pod,
  });
  await markUnscheduled(pod, ctx, { reason: 'Unschedulable', message: choice.unschedulable });
  return { requeue: true };
}

function nodeInfos(ctx: RequestContext, assumed: Assumed) {
  const pods = ctx.cache.lister(Pod).list();
  const byNode = new Map<string, Pod[]>();
  const place = (nodeName: string, pod: Pod): void => {
    const present = byNode.get(nodeName);
    if (present) present.push(pod);
    else byNode.set(nodeName, [pod]);
  };
  const known = new Set<string>();
  for (const pod of pods) {
    const uid = pod.metadata.uid ?? '';
    known.add(uid);
    if (pod.spec?.nodeName) {
      assumed.delete(uid);
      place(pod.spec.nodeName, pod);
    }
  }
  for (const [uid, { pod, nodeName }] of assumed) {
    if (known.has(uid)) place(nodeName, pod);
    else assumed.delete(uid);
  }
  return ctx.cache
    .lister(Node)
    .list()
    .map((node) => nodeInfo(node, byNode.get(node.metadata.name ?? '') ?? []));
}

async function bind(pod: Pod, nodeName: string, ctx: RequestContext, assumed: Assumed): Promise<void> {
  const { uid = '' } = pod.metadata;
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
  };
  assumed.set(uid, { pod, nodeName });
  try {
    await ctx.client.resource(Pod).subresource('binding').create(objectKey(pod), binding, { signal: ctx.signal });
  } catch (error) {
    assumed.delete(uid);
    throw error;
  }
  const note = `Successfully assigned ${pod.metadata.namespace}/${pod.metadata.name} to ${nodeName}`;
  ctx.events.record({ reason: 'Scheduled', action: 'Binding', note, regarding: pod });
}

async function markUnscheduled(
  pod: Pod,
  ctx: RequestContext,
  why: { readonly reason: string; readonly message: string },
): Promise<void> {
  const present = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (present?.status === 'False' && present.reason === why.reason && present.message === why.message) return;
  const since = present?.status === 'False' ? present.lastTransitionTime : undefined;
  const lastTransitionTime = since ?? new Date(ctx.clock.now()).toISOString().replace(/\.\d{3}Z$/, 'Z');
  const condition = { type: 'PodScheduled', status: 'False', lastTransitionTime, ...why };
  await ctx.client
    .resource(Pod)
    .status.patch(
      objectKey(pod),
      { type: 'strategic', body: { status: { conditions: [condition] } } },
      { signal: ctx.signal },
    );
}
