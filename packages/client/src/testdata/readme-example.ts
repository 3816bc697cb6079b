import { isNotFound } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';

export async function restart(name: string, signal: AbortSignal): Promise<void> {
  await using client = clientFromConfig(await loadClientConfig());
  const pods = client.resource(Pod);
  try {
    const pod = await pods.get({ name }, { signal });
    await pods.delete({ name }, { preconditions: { uid: pod.metadata.uid }, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  for await (const event of pods.watch({ fieldSelector: { 'metadata.name': name }, signal })) {
    if (event.type === 'ERROR') throw event.error;
    if (event.type === 'ADDED') return;
  }
}
