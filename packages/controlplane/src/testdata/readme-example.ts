import { Namespace } from '@kubewright/apimachinery/core/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';

export async function namespacesOfANewCluster(): Promise<readonly string[]> {
  await using cluster = await EmbeddedCluster.start();
  console.log(`kubectl --kubeconfig ${cluster.kubeconfig} get namespaces`);
  const { items } = await cluster.client().resource(Namespace).list();
  return items.map(({ metadata }) => metadata.name);
}
