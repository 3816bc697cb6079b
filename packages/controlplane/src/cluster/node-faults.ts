import { KubewrightError } from '@kubewright/apimachinery';
import type { ClusterNode, NodeFault } from './cluster-nodes.ts';
import type { MultiNodeConnector } from './multi-node-connector.ts';

/** Thrown when a test injects a fault into a node that does not exist or has failed already. */
class NodeFaultError extends KubewrightError {
  override readonly name = 'NodeFaultError';
  readonly code = 'KW5507';

  constructor(node: string, facts: { readonly fault: string | undefined; readonly nodes: readonly string[] }) {
    const { fault, nodes } = facts;
    super({
      what: `cannot inject a fault into node ${node}`,
      why: fault ? `the node is already ${fault}` : 'the cluster has no such node',
      remedy: fault
        ? 'dispose the earlier fault first'
        : nodes.length === 0
          ? 'start the cluster with a node'
          : `use one of these nodes: ${nodes.join(', ')}`,
    });
  }
}

/** Injects a fault into a node. Disposing the result brings the node back, unless the cluster has stopped. */
export async function failNode(
  { nodes, connector }: { readonly nodes: ReadonlyMap<string, ClusterNode>; readonly connector: MultiNodeConnector },
  options: { readonly name: string; readonly fault: NodeFault; readonly isOver: () => boolean },
): Promise<AsyncDisposable> {
  const { name, fault, isOver } = options;
  const node = nodes.get(name);
  const { faults } = connector;
  if (!node || faults.has(name)) throw new NodeFaultError(name, { fault: faults.get(name), nodes: [...nodes.keys()] });
  faults.set(name, fault);
  const restore = await node.fail(fault);
  return {
    async [Symbol.asyncDispose]() {
      if (isOver() || !faults.delete(name)) return;
      await restore();
    },
  };
}
