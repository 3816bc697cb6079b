import { request } from 'node:https';
import type { ExtensionServer } from '@kubewright/apiserver';
import type { KubernetesClient } from '@kubewright/client';

/** A response over the network. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Registers a listening server with a cluster, behind the Service `wells` in `default`, and waits until its API is
 * available.
 */
export async function register(
  client: KubernetesClient,
  server: Pick<ExtensionServer, 'url' | 'authority'>,
  groups: readonly string[],
): Promise<void> {
  const put = (path: string, body: object): Promise<unknown> => client.request({ method: 'POST', path, body });
  const place = { namespace: 'default', name: 'wells' };
  await put('/api/v1/namespaces/default/services', { metadata: place, spec: { ports: [{ port: 443 }] } });
  await put('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    metadata: { ...place, labels: { 'kubernetes.io/service-name': place.name } },
    addressType: 'IPv4',
    ports: [{ name: '', port: Number(new URL(server.url).port) }],
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
  });
  const caBundle = Buffer.from(server.authority ?? '').toString('base64');
  for (const group of groups) {
    const spec = { group, version: 'v1', service: place, caBundle, groupPriorityMinimum: 2000, versionPriority: 10 };
    await put('/apis/apiregistration.k8s.io/v1/apiservices', { metadata: { name: `v1.${group}` }, spec });
  }
}

/** Sends a request directly to an extension server, bypassing the cluster's API server. */
export function askDirectly(
  server: Pick<ExtensionServer, 'url' | 'authority'>,
  path: string,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly key?: string; readonly cert?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, server.url), { ca: server.authority, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}
