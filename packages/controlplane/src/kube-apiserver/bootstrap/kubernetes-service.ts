import { isIPv4 } from 'node:net';
import type { ApiHandler } from '@kubewright/apiserver';
import { asServer } from '@kubewright/apiserver/internal';
import { BootstrapError } from './bootstrap-error.ts';

/**
 * Publishes the server inside the cluster, as the Service `default/kubernetes` with Endpoints and an EndpointSlice that
 * point to `address`. Call it once the server's address is known, and again after a restart on another port.
 */
export async function publishServer(options: {
  readonly handle: ApiHandler;
  /** The server's address, as `host:port`. */
  readonly address: string;
  /** Range of service IPs, in CIDR notation. The Service gets the first address. */
  readonly serviceCidr: string;
}): Promise<void> {
  const send = asServer(options.handle);
  const at = options.address.lastIndexOf(':');
  const host = options.address.slice(0, at).replace(/^\[|\]$/g, '');
  const port = Number(options.address.slice(at + 1));
  // If the host is not a single IPv4 address, clients on this machine use the loopback address.
  const ip = isIPv4(host) && host !== '0.0.0.0' ? host : '127.0.0.1';
  const metadata = { name: 'kubernetes', namespace: 'default' };
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  const objects = [
    {
      path: '/api/v1/namespaces/default/services',
      object: {
        metadata: { ...metadata, labels: { component: 'apiserver', provider: 'kubernetes' } },
        spec: {
          clusterIP: firstAddress(options.serviceCidr),
          ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
          sessionAffinity: 'None',
          type: 'ClusterIP',
        },
      },
    },
    {
      path: '/api/v1/namespaces/default/endpoints',
      object: {
        metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
        subsets: [{ addresses: [{ ip }], ports }],
      },
    },
    {
      path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      object: {
        metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: [ip], conditions: { ready: true } }],
        ports,
      },
    },
  ];
  for (const { path, object } of objects) {
    // The first clients are already connected, so yield to them between requests.
    // seam: yields a turn of the event loop; adds no delay.
    await new Promise<void>((resolve) => setImmediate(resolve));
    // PATCH first: a POST of the existing Service would fail, because its IP is already allocated to the Service itself.
    const contentType = 'application/merge-patch+json';
    const change = () => send('PATCH', `${path}/kubernetes`, { body: object, contentType });
    let response = await change();
    if (response.status === 404) response = await send('POST', path, { body: object });
    // If the POST fails, another server on the same storage may have created the object first.
    if (response.status >= 400) response = await change();
    const { status, text } = response;
    if (status >= 300)
      throw new BootstrapError({
        what: `cannot publish the server address ${options.address}: ${path}: ${status} ${text}`,
      });
  }
}

/** Returns the first usable address of a range. The prefix length is a multiple of 8: `10.96.0.1` for `10.96.0.0/16`. */
function firstAddress(cidr: string): string {
  return cidr.replace(/\.0\/\d+$/, '.1');
}
