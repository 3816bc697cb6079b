import { isDeleting } from '@kubewright/apimachinery';
import { NetworkPolicy } from '@kubewright/apimachinery/networking/v1';
import { type ControllerDefinition, controller } from '@kubewright/runtime';

/**
 * Returns the controller that records an event about each NetworkPolicy: this cluster does not enforce the policies,
 * and users may miss the API server's warning.
 *
 * @param options - `needsNft`: true if policies would be enforced with nftables installed.
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
