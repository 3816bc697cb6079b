import { isDeleting } from '@kubewright/apimachinery';
import { NetworkPolicy } from '@kubewright/apimachinery/networking/v1';
import { type ControllerDefinition, controller } from '@kubewright/runtime';

/**
 * Records an event about each NetworkPolicy, because this cluster enforces none and a user may miss the warning of the API server.
 *
 * @param options - `needsNft`: true if they would be enforced if nftables were installed.
 */
export function unenforcedPolicies({ needsNft }: { readonly needsNft: boolean }): ControllerDefinition {
  const why = needsNft ? 'nftables is not installed' : 'pods share the loopback network; use --network isolated';
  return controller({
    name: 'network-policies',
    for: NetworkPolicy,
    reconcile: async (policy, ctx) => {
      if (isDeleting(policy)) return;
      const note = `NetworkPolicy ${policy.metadata.name} restricts no traffic: ${why}`;
      ctx.events.record({ type: 'Warning', reason: 'NotEnforced', action: 'Enforce', note });
    },
  });
}
