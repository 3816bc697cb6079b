import type { Clock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { EmbeddedCluster } from '@kubewright/controlplane';
import type { Manager } from '@kubewright/runtime';
import { buildInstanceManager, fileOf, installKinds, startOperator } from './postgres-operator.ts';

/** An embedded cluster that runs pods as processes, and the operator that manages it. */
export class OperatedCluster implements AsyncDisposable {
  readonly client: KubernetesClient;
  readonly kubeconfig: string;
  readonly #cluster: EmbeddedCluster;
  #manager: Manager;

  private constructor(cluster: EmbeddedCluster, manager: Manager) {
    this.#cluster = cluster;
    this.#manager = manager;
    this.client = cluster.client();
    this.kubeconfig = cluster.kubeconfig ?? '';
  }

  static async start({ nodes, clock }: { readonly nodes: number; readonly clock?: Clock }): Promise<OperatedCluster> {
    buildInstanceManager();
    const cluster = await EmbeddedCluster.start({
      node: { count: nodes, imageFile: fileOf('kubewright-images.json') },
    });
    const client = cluster.client();
    await installKinds(client);
    return new OperatedCluster(cluster, await startOperator(client, { ...(clock && { clock }) }));
  }

  /** Restarts the operator. */
  async restartOperator(): Promise<void> {
    await this.#manager[Symbol.asyncDispose]();
    this.#manager = await startOperator(this.client);
  }

  /** Returns the operator's metrics: by default those of its runtime. */
  async operatorMetrics(path = '/metrics'): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#manager.ports.metrics}${path}`)).text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager[Symbol.asyncDispose]();
    await this.#cluster[Symbol.asyncDispose]();
  }
}
