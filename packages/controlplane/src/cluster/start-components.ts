import type { BuiltInControllerFactory } from '../controllers/index.ts';
import type { ClusterClients } from './cluster-clients.ts';
import type { ClusterVolumes } from './cluster-volumes.ts';
import type { Component, Components } from './components.ts';
import type { CompleteOptions } from './embedded-cluster-options.ts';
import { adminIdentity, proxyIdentity, schedulerIdentity } from './identities.ts';
import type * as Workers from './workers.ts';

/** Name of the component that gives services of type LoadBalancer an address. */
const balancerName = 'service-lb-controller';
/** Name of the component that serves Ingresses, and of its account. */
const ingressName = 'ingress-controller';
/** Name of the component that provisions local volumes, and of its account. */
const provisionerName = 'local-volume-provisioner';

/** Components that can be selected in addition to the built-in controllers. */
export const furtherComponents: readonly string[] = [balancerName, ingressName, provisionerName];

/**
 * Starts the selected controllers and all other selected components: scheduler, proxy, DNS, load balancer, Ingress and local
 * volumes.
 */
export async function startComponents(
  components: Components,
  parts: {
    readonly workers: typeof Workers;
    readonly controllers: readonly BuiltInControllerFactory[];
    readonly clients: ClusterClients;
    readonly options: CompleteOptions;
    readonly volumes: ClusterVolumes;
  },
): Promise<void> {
  const { workers, controllers, clients, options, volumes } = parts;
  const { clock, selection, network } = options;
  const started: Component[] = controllers.map((controller) => ({
    name: controller.account,
    client: clients.forController(controller),
    definition: controller.definition,
  }));
  if (selection.includes('scheduler')) {
    const definition = () => workers.schedulerController({ clock });
    started.push({ name: 'scheduler', client: clients.as(schedulerIdentity), definition });
  }
  if (network.isRouted && selection.includes('kube-proxy')) {
    const definition = () => network.proxy(workers);
    const client = clients.as(proxyIdentity);
    started.push({ name: 'kube-proxy', client, definition });
    started.push({
      name: 'network-policies',
      // The controller that enforces policies reads pods and writes nothing. The controller that reports missing
      // enforcement writes events.
      client: network.enforcesPolicies ? clients.forController({ account: 'network-policies' }) : client,
      definition: () => network.policies(workers),
    });
  }
  if (network.hasDns) {
    const definition = await network.startDns(clients.as(adminIdentity), workers);
    started.push({ name: 'coredns', client: clients.as(proxyIdentity), definition });
  }
  if (network.isRouted && selection.includes(balancerName)) {
    const definition = () => workers.loadBalancerController((clusterIP) => network.balancerAddress(clusterIP));
    started.push({
      name: balancerName,
      client: clients.forController({ account: 'service-controller' }),
      definition,
    });
  }
  const installed: Promise<void>[] = [];
  if (network.isRouted && selection.includes(ingressName)) {
    installed.push(workers.installIngress(clients.as(adminIdentity)));
    const client = clients.forController({ account: ingressName });
    started.push({ name: ingressName, client, definition: () => network.ingress(workers) });
  }
  if (selection.includes(provisionerName)) {
    installed.push(workers.installLocalVolumes(clients.as(adminIdentity)));
    const definition = () => workers.volumeProvisioner(volumes.folders);
    started.push({ name: provisionerName, client: clients.forController({ account: provisionerName }), definition });
  }
  await Promise.all([components.start(started), ...installed]);
}
