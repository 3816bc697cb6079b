import { badRequest, type KubernetesObject, StatusError } from '@kubewright/apimachinery';
import type {
  AttachOptions,
  ContainerCheckOptions,
  ExecOptions,
  LogOptions,
  NodeConnector,
  NodeUsage,
  PortForwardOptions,
} from '../kube-apiserver/pods/node-connector.ts';
import type { NodeFault } from './cluster-nodes.ts';

/** A connector to the pods of several nodes, for a server that starts before the nodes. */
export class MultiNodeConnector implements NodeConnector {
  /** The connectors of the nodes, by node name. */
  readonly targets: Map<string, NodeConnector> = new Map();
  /** The nodes that do not respond, with the reasons. */
  readonly faults: Map<string, NodeFault> = new Map();

  async logs(pod: KubernetesObject, options: LogOptions): Promise<AsyncIterable<Uint8Array>> {
    return this.#reach(pod).logs(pod, options);
  }

  async check(pod: KubernetesObject, options: ContainerCheckOptions): Promise<void> {
    await this.#reach(pod).check?.(pod, options);
  }

  async exec(pod: KubernetesObject, options: ExecOptions): Promise<{ readonly exitCode: number }> {
    return this.#reach(pod).exec(pod, options);
  }

  async attach(pod: KubernetesObject, options: AttachOptions): Promise<void> {
    await this.#reach(pod).attach?.(pod, options);
  }

  async portForward(pod: KubernetesObject, options: PortForwardOptions): Promise<void> {
    await this.#reach(pod).portForward?.(pod, options);
  }

  async usage(): Promise<readonly NodeUsage[]> {
    const reached = [...this.targets].filter(([name]) => !this.faults.has(name));
    const all = await Promise.all(reached.map(async ([, target]) => (await target.usage?.()) ?? []));
    return all.flat();
  }

  #reach(pod: KubernetesObject): NodeConnector {
    const { spec } = pod as KubernetesObject & { readonly spec?: { readonly nodeName?: string } };
    const target = this.targets.get(spec?.nodeName ?? '');
    const fault = this.faults.get(spec?.nodeName ?? '');
    if (fault) throw unreachable(`cannot reach node ${spec?.nodeName}: the node is ${fault}`);
    if (target) return target;
    throw badRequest(`cannot reach pod ${pod.metadata.name}: no agent runs on its node; start the cluster with a node`);
  }
}

function unreachable(message: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'InternalError',
    code: 500,
  });
}
