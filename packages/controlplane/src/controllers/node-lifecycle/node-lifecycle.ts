import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import { enqueueForObject, enqueueMapped, requestController, type Source, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { PodsByNode } from '../nodes/pods-by-node.ts';
import { type KnownNode, leaseNamespace, NodeReconcile } from './node-reconcile.ts';
import { Zones } from './zones.ts';

/**
 * Monitors the health of nodes. After 50 s without a heartbeat, marks a node as unreachable and its pods as not ready. Maintains
 * the taints for node conditions and for cordoned nodes. Mirrors the node lifecycle controller (1.36).
 */
export function nodeLifecycleController(): BuiltInController {
  const events = new CoreEventRecorder('node-controller');
  const nodes = new Map<string, KnownNode>();
  const pods = new PodsByNode();
  let enqueueAll: () => void = () => {};
  const state = { nodes, pods, zones: new Zones(), events, enqueueAll: () => enqueueAll() };
  const source: Source = {
    name: 'eviction rate',
    async start(context) {
      enqueueAll = () => {
        for (const name of nodes.keys()) context.enqueue({ name });
      };
    },
  };
  return {
    account: 'node-controller',
    definition: requestController({
      name: 'node-lifecycle-controller',
      for: Node,
      watches: [
        watch(Node, enqueueForObject<Node>()),
        watch(
          Lease,
          enqueueMapped<Lease>(({ name }) => [{ name }]),
          { namespaces: [leaseNamespace] },
        ),
        watch(Pod, pods.track),
      ],
      sources: [source],
      reconcile: (request, ctx) => events.during(ctx, () => new NodeReconcile(state, ctx).run(request)),
    }),
  };
}
