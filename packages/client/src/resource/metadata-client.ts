import type { KubernetesObject } from '@kubewright/apimachinery';
import type { ResourceClient } from './resource-client.ts';

/** The calls of {@link ResourceClient} that work with metadata only: no whole object can be written. */
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
