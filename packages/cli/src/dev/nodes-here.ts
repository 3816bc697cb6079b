import { networkInterfaces } from 'node:os';
import { isForbidden } from '@kubewright/apimachinery';
import { Node } from '@kubewright/apimachinery/core/v1';
import type { Target } from '../deploy/apply-objects.ts';

/** Nodes that are looked at; one that is here is enough. */
const limit = 50;

/**
 * Whether a cluster may run on this machine, as its nodes' addresses say. A loopback address of its server alone says
 * nothing: tunnels and `kubectl proxy` have one, too. A cluster without nodes is nobody's that is used.
 */
export async function nodesHere({ client, surroundings: { signal } }: Target): Promise<boolean> {
  const own = new Set(Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)));
  const isOwn = (address: string): boolean => own.has(address) || address.startsWith('127.') || address === '::1';
  try {
    const { items } = await client.resource(Node).list({ limit, signal });
    const addresses = items.flatMap(({ status }) => status?.addresses ?? []);
    return items.length === 0 || addresses.some(({ address }) => isOwn(address));
  } catch (error) {
    // Who may not see the nodes works in somebody else's cluster.
    if (isForbidden(error)) return false;
    throw error;
  }
}
