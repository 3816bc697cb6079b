import type { Clock } from '@kubewright/apimachinery';
import { ServiceAccount } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';

const longestMs = 10_000;

/**
 * Resolves once pods can be created in the namespace `default`: until a controller has created the namespace's service
 * account, the server rejects pods. Also resolves after ten seconds, because a cluster without the account is still
 * useful.
 */
export async function defaultAccountExists(client: KubernetesClient, clock: Clock): Promise<void> {
  const stop = new AbortController();
  using _timer = clock.setTimer(longestMs, () => stop.abort());
  try {
    const key = { namespace: 'default', name: 'default' };
    await client.resource(ServiceAccount).waitFor(key, () => true, { signal: stop.signal });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}
