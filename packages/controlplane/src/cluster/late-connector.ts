import { badRequest, type KubernetesObject } from '@kubewright/apimachinery';
import type {
  AttachOptions,
  ContainerCheckOptions,
  ExecOptions,
  LogOptions,
  NodeConnector,
  NodeUsage,
  PortForwardOptions,
} from '../kube-apiserver/pods/node-connector.ts';

/** A connector to the pods of several nodes, for a server that starts before the nodes. */
export class LateConnector implements NodeConnector {
  /** The connectors of the nodes, by node name. */
  readonly targets: Map<string, NodeConnector> = new Map();

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
    const all = await Promise.all([...this.targets.values()].map(async (target) => (await target.usage?.()) ?? []));
    return all.flat();
  }

  #reach(pod: KubernetesObject): NodeConnector {
    const { spec } = pod as KubernetesObject & { readonly spec?: { readonly nodeName?: string } };
    const target = this.targets.get(spec?.nodeName ?? '');
    if (target) return target;
    throw badRequest(`the node of pod ${pod.metadata.name} has no agent; start the cluster with a node`);
  }
}
