import type { ExtensionServer } from '@kubewright/apiserver';
import type { TestEnvironment } from '@kubewright/testing';

/** Registers a listening server for a group version, as `kubewright dev` does: a Service, its endpoint and an APIService. */
export async function register(
  client: TestEnvironment['client'],
  { url, authority = '' }: ExtensionServer,
  { group, version, service }: { readonly group: string; readonly version: string; readonly service: string },
): Promise<void> {
  const create = (path: string, body: object) => client.request({ method: 'POST', path, body });
  const place = { namespace: 'default', name: service };
  await create('/api/v1/namespaces/default/services', { metadata: place, spec: { ports: [{ port: 443 }] } });
  await create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    metadata: { ...place, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    ports: [{ name: '', port: Number(new URL(url).port) }],
    endpoints: [{ addresses: ['127.0.0.1'] }],
  });
  await create('/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      service: place,
      caBundle: Buffer.from(authority).toString('base64'),
      groupPriorityMinimum: 1000,
      versionPriority: 100,
    },
  });
}
