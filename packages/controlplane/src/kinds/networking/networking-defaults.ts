import type { IngressClass, NetworkPolicy, NetworkPolicyPort } from '../generated/drafts.ts';
import { isEmpty } from '../validation/check.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Defaults of the networking group. */
export const networkingDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<NetworkPolicyPort>('networkingv1.NetworkPolicyPort', (port) => {
    port.protocol ??= 'TCP';
  }),
  defaultsOf<NetworkPolicy>('networkingv1.NetworkPolicy', ({ spec }) => {
    if (isEmpty(spec.policyTypes)) spec.policyTypes = isEmpty(spec.egress) ? ['Ingress'] : ['Ingress', 'Egress'];
  }),
  defaultsOf<IngressClass>('networkingv1.IngressClass', ({ spec }) => {
    if (spec.parameters) spec.parameters.scope ??= 'Cluster';
  }),
];
