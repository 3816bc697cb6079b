import { networkInterfaces } from 'node:os';
import { isForbidden } from '@kubewright/apimachinery';
import { Node } from '@kubewright/apimachinery/core/v1';
import type { Target } from '../../target/apply-objects.ts';

/** The number of nodes to check; one on this machine is enough. */
const limit = 50;

/**
 * Returns true if the cluster may run on this machine, based on its nodes' addresses. A loopback server address alone
 * proves nothing: tunnels and `kubectl proxy` also listen on a loopback address. A cluster without nodes counts as
 * local, because no one uses it.
 */
export async function hasLocalNodes({ client, environment: { signal } }: Target): Promise<boolean> {
  const own = new Set(Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)));
  const isOwn = (address: string): boolean => own.has(address) || address.startsWith('127.') || address === '::1';
  try {
    const { items } = await client.resource(Node).list({ limit, signal });
    const addresses = items.flatMap(({ status }) => status?.addresses ?? []);
    return items.length === 0 || addresses.some(({ address }) => isOwn(address));
  } catch (error) {
    // A user who is not allowed to list nodes works in a shared cluster.
    if (isForbidden(error)) return false;
    throw error;
  }
}
