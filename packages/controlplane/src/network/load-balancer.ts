import { isDeleting, objectKey } from '@kubewright/apimachinery';
import { Service } from '@kubewright/apimachinery/core/v1';
import { type ControllerDefinition, controller } from '@kubewright/runtime';

/** Returns the address of a load balancer for a service with this cluster IP, or `undefined`. */
export type BalancerAddress = (clusterIP: string) => string | undefined;

/** Gives services of type LoadBalancer an address on this machine, at which the proxy listens. */
export function loadBalancerController(addressOf: BalancerAddress): ControllerDefinition {
  return controller({
    name: 'service-lb-controller',
    for: Service,
    reconcile: async (service, ctx) => {
      const before = service.status?.loadBalancer?.ingress ?? [];
      const ip = wantsAddress(service) ? addressOf(service.spec?.clusterIP ?? '') : undefined;
      // Each load balancer class has its own controller.
      if (isDeleting(service) || service.spec?.loadBalancerClass !== undefined) return;
      if (ip === undefined || before.some((one) => one.ip === ip)) return;
      ctx.events.record({ reason: 'EnsuringLoadBalancer', note: 'Ensuring load balancer' });
      const status = { loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] } };
      const body = { metadata: { uid: service.metadata.uid }, status };
      await ctx.client
        .resource(Service)
        .status.patch(objectKey(service), { type: 'merge', body }, { signal: ctx.signal });
      ctx.events.record({ reason: 'EnsuredLoadBalancer', note: 'Ensured load balancer' });
    },
  });
}

function wantsAddress({ spec }: Service): boolean {
  return spec?.type === 'LoadBalancer' && spec.clusterIP !== 'None';
}
