import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from '../generated/drafts.ts';

/** Kinds of the networking group. */
export const networkingKinds: readonly BuiltinKind[] = [
  builtinKind<IngressClass>({
    resource: 'networking.k8s.io/v1/ingressclasses',
    struct: 'networkingv1.IngressClass',
    generation: 'spec',
  }),
  builtinKind<Ingress>({
    resource: 'networking.k8s.io/v1/ingresses',
    struct: 'networkingv1.Ingress',
    generation: 'spec',
  }),
  builtinKind<IPAddress>({ resource: 'networking.k8s.io/v1/ipaddresses', struct: 'networkingv1.IPAddress' }),
  builtinKind<NetworkPolicy>({
    resource: 'networking.k8s.io/v1/networkpolicies',
    struct: 'networkingv1.NetworkPolicy',
    generation: 'spec',
    generationSeesEmpty: true,
  }),
  builtinKind<ServiceCIDR>({
    resource: 'networking.k8s.io/v1/servicecidrs',
    struct: 'networkingv1.ServiceCIDR',
    subresources: { status: { keepsMetadata: true } },
  }),
];
