import type { IngressClass, NetworkPolicy, NetworkPolicyPort } from '../generated/drafts.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Defaults of the networking group. */
export const networkingDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<NetworkPolicyPort>('networkingv1.NetworkPolicyPort', (port) => {
    port.protocol ??= 'TCP';
  }),
  defaultsOf<NetworkPolicy>('networkingv1.NetworkPolicy', ({ spec }) => {
    spec.policyTypes ??= spec.egress ? ['Ingress', 'Egress'] : ['Ingress'];
  }),
  defaultsOf<IngressClass>('networkingv1.IngressClass', ({ spec }) => {
    if (spec.parameters) spec.parameters.scope ??= 'Cluster';
  }),
];
