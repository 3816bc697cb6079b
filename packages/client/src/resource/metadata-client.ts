import type { KubernetesObject } from '@kubewright/apimachinery';
import type { ResourceClient } from './resource-client.ts';

/** The methods of {@link ResourceClient} that work with metadata alone. Writing whole objects is not possible. */
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
