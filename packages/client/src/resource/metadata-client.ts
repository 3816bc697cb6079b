import type { KubernetesObject } from '@kubewright/apimachinery';
import type { ResourceClient } from './resource-client.ts';

/**
 * The calls of {@link ResourceClient} that work with metadata only: no whole object can be written.
 *
 * @example
 * ```ts
 * async function label(pods: MetadataClient, key: ObjectKey): Promise<void> {
 *   await pods.patch(key, { type: 'merge', body: { metadata: { labels: { tier: 'web' } } } });
 * }
 * await label(client.metadata(Pod), { namespace: 'shop', name: 'web-0' });
 * ```
 */
export type MetadataClient = Pick<
  ResourceClient<KubernetesObject>,
  | 'get'
  | 'list'
  | 'listAll'
  | 'patch'
  | 'delete'
  | 'deleteCollection'
  | 'watch'
  | 'waitFor'
  | 'waitForDeletion'
  | 'listStream'
  | 'watchStream'
>;
