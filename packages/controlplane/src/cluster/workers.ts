// Everything that a cluster runs in addition to its API server, in one module so it can be loaded once the server listens.
export { silentLogger } from '@kubewright/runtime';
export { builtInControllers } from '../controllers/index.ts';
export { installLocalVolumes, volumeProvisioner } from '../controllers/local-volumes/index.ts';
export { clusterDns, createDnsService } from '../network/dns/cluster-dns.ts';
export { DnsServer } from '../network/dns/dns-server.ts';
export { ServiceZone } from '../network/dns/service-zone.ts';
export { machineUpstream } from '../network/dns/upstream.ts';
export { ingressDefinition } from '../network/ingress/ingress-controller.ts';
export { IngressListeners } from '../network/ingress/ingress-listeners.ts';
export { installIngress } from '../network/ingress/install-ingress.ts';
export { kubeProxy } from '../network/kube-proxy.ts';
export { loadBalancerController } from '../network/load-balancer.ts';
export { ServiceProxy } from '../network/service-proxy.ts';
export { unenforcedPolicies } from '../network/unenforced-policies.ts';
export { schedulerController } from '../scheduler/index.ts';
export { startNodes } from './cluster-nodes.ts';
export { Components } from './components.ts';
export { defaultAccountExists } from './default-account.ts';
