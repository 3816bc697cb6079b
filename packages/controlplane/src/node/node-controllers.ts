import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Node, Pod, Service } from '@kubewright/apimachinery/core/v1';
import {
  type ControllerDefinition,
  enqueueForObject,
  exponentialRateLimiter,
  type ReconcileRequest,
  type ReconcileResult,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import type { PodReconciler } from './pod/pod-reconciler.ts';
import { RequestSource } from './request-source.ts';
import { nodeLeaseKey, reconcileLease } from './status/lease-reconciler.ts';
import type { NodeReconciler } from './status/node-reconciler.ts';

/** Maximum time between attempts to write to the API server, in milliseconds. */
const maxRetryMs = 10_000;

/** Options for {@link nodeControllers}. */
export interface NodeControllersOptions {
  readonly nodeName: string;
  readonly node: NodeReconciler;
  readonly pods: PodReconciler;
  /** Sources of requests for the controllers of the Node and of the pods. */
  readonly requests: { readonly node: RequestSource; readonly pods: RequestSource };
  /** True if the environment of containers contains the addresses of Services. */
  readonly needsServices: boolean;
  /** True while the node is stopping: its controllers then do nothing. */
  readonly isStopping: () => boolean;
}

type Reconcile = (request: ReconcileRequest, ctx: RequestContext) => Promise<ReconcileResult | undefined>;

/** Returns the controllers of a node's Node, Lease and pods. */
export function nodeControllers(options: NodeControllersOptions): readonly ControllerDefinition[] {
  const { nodeName, node, pods, requests, isStopping } = options;
  const unlessStopping =
    (reconcile: Reconcile): Reconcile =>
    async (request, ctx) =>
      isStopping() ? undefined : reconcile(request, ctx);
  // A kubelet that loses the API server retries at least at each heartbeat.
  const retries = () => exponentialRateLimiter({ maxMs: maxRetryMs });
  return [
    requestController({
      name: 'kubelet-node',
      for: Node,
      rateLimiter: retries(),
      watches: [watch(Node, enqueueForObject(), { fieldSelector: `metadata.name=${nodeName}` })],
      sources: [requests.node],
      reconcile: unlessStopping((_, ctx) => node.reconcile(ctx)),
    }),
    requestController({
      name: 'kubelet-lease',
      for: Lease,
      rateLimiter: retries(),
      sources: [new RequestSource([nodeLeaseKey(nodeName)])],
      reconcile: unlessStopping(reconcileLease),
    }),
    requestController({
      name: 'kubelet',
      for: Pod,
      rateLimiter: retries(),
      maxConcurrentReconciles: 16,
      watches: [watch(Pod, enqueueForObject(), { fieldSelector: `spec.nodeName=${nodeName}` })],
      // Otherwise each of a thousand simulated nodes would cache all Services.
      caches: options.needsServices ? [Service] : [],
      sources: [requests.pods],
      reconcile: unlessStopping((request, ctx) => pods.reconcile(request, ctx)),
    }),
  ];
}
