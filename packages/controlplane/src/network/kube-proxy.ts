import { objectKey, type Stored } from '@kubewright/apimachinery';
import { Node, Service } from '@kubewright/apimachinery/core/v1';
import { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import {
  type ControllerDefinition,
  enqueueForObject,
  enqueueMapped,
  type IndexFunc,
  type ReconcileResult,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import { byService, serviceLabel } from './endpoint-slice-index.ts';
import type { RouteFault, ServiceProxy } from './service-proxy.ts';
import { type NodeAddress, serviceRoutes } from './service-routes.ts';

/** Interval between attempts to listen on an address that is in use, in milliseconds. */
const retryMs = 5_000;

/** Returns the controller that keeps a proxy up to date with services and their EndpointSlices, like kube-proxy. */
export function kubeProxy(proxy: ServiceProxy): ControllerDefinition {
  return requestController({
    name: 'kube-proxy',
    for: Service,
    watches: [
      watch(Service, enqueueForObject(), { indexes: { nodePorts: byNodePorts } }),
      watch(
        EndpointSlice,
        enqueueMapped<EndpointSlice>(({ namespace, labels }) => {
          const name = labels[serviceLabel];
          return name === undefined ? [] : [{ namespace, name }];
        }),
        { indexes: { service: byService } },
      ),
      // Node ports are opened at the address of each node.
      watch<Node>(Node, (event, context) => {
        if (event.type === 'update' && internalIpOf(event.old.object) === internalIpOf(event.object.object)) return;
        context.enqueue(allNodePorts);
      }),
    ],
    reconcile: (request, ctx) =>
      request.name === allNodePorts.name ? updateNodePorts(proxy, ctx) : update(proxy, { ...request, ctx }),
  });
}

/** Request that represents all services with node ports. */
const allNodePorts = { name: '*' };

async function updateNodePorts(proxy: ServiceProxy, ctx: RequestContext): Promise<ReconcileResult | undefined> {
  let result: ReconcileResult | undefined;
  for (const service of ctx.cache.lister(Service).list({ index: { name: 'nodePorts', value: 'true' } })) {
    const { namespace, name } = service.metadata;
    // If another program uses a port, the result requests a retry, even if only the node has changed.
    result = (await update(proxy, { namespace, name, ctx })) ?? result;
  }
  return result;
}

async function update(
  proxy: ServiceProxy,
  {
    namespace,
    name,
    ctx,
  }: { readonly namespace?: string | undefined; readonly name: string; readonly ctx: RequestContext },
): Promise<ReconcileResult | undefined> {
  const key = `${namespace}/${name}`;
  const service = ctx.cache.lister(Service).get({ namespace: namespace ?? '', name });
  const slices = ctx.cache.lister(EndpointSlice).list({ index: { name: 'service', value: key } });
  const routes = service ? serviceRoutes(service, { slices, nodes: nodesOf(ctx) }) : [];
  const faults = await proxy.apply(key, routes);
  const [fault] = faults;
  if (!service || !fault) return undefined;
  const note = faultNote(fault);
  ctx.log.debug('cannot listen at the address of a service', {
    event: clusterLogEvents.serviceListenFailed,
    ...objectKey(service),
    error: fault.error,
  });
  ctx.events.record({
    type: 'Warning',
    reason: 'ListenFailed',
    action: 'Listen',
    note,
    regarding: service,
    series: note,
  });
  return { requeueAfterMs: retryMs };
}

function nodesOf(ctx: RequestContext): readonly NodeAddress[] {
  return ctx.cache
    .lister(Node)
    .list()
    .flatMap((node) => {
      const ip = internalIpOf(node);
      return ip === undefined ? [] : [{ name: node.metadata.name, ip }];
    });
}

function internalIpOf({ status }: Stored<Node>): string | undefined {
  return status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
}

/** Indexes the services that have node ports. */
const byNodePorts: IndexFunc<Service> = ({ object }) => (hasNodePorts(object) ? ['true'] : []);

function hasNodePorts({ spec }: Service): boolean {
  return spec?.ports?.some(({ nodePort = 0 }) => nodePort !== 0) ?? false;
}

/** Returns the message for an address at which the proxy cannot listen, including the remedy. */
function faultNote({ route, error }: RouteFault): string {
  const what = `cannot listen on ${route.host}:${route.port}/${route.protocol}`;
  switch (error.code) {
    case 'EACCES':
      return `${what}: permission denied; use a service port of 1024 or higher, or run the cluster as root`;
    case 'EADDRINUSE':
      return `${what}: address already in use: another program listens on this port of all addresses and receives the connections; configure that program to listen on POD_IP only`;
    case 'EADDRNOTAVAIL':
      return `${what}: not a loopback address of this machine; use an address in 127.0.0.0/8, because services are not exposed to other machines`;
    default:
      return `${what}: ${error.message}`;
  }
}
