import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { Namespace } from '@kubewright/apimachinery/core/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger } from '@kubewright/runtime';

export async function namespacesOfANewCluster(directory: string): Promise<readonly string[]> {
  const parts = { clock: systemClock, random: systemRandom, log: silentLogger };
  const cluster = await EmbeddedCluster.start({ directory, ...parts });
  try {
    console.log(`kubectl --kubeconfig ${cluster.kubeconfig} get namespaces`);
    const { items } = await cluster.client().resource(Namespace).list();
    return items.map(({ metadata }) => metadata.name ?? '');
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
}
