import type { ObjectOf } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

export interface RedisSpec {
  /** Number of servers, including the primary. @integer @minimum 1 @maximum 9 @default 3 */
  readonly size?: number;
}

export interface RedisStatus {
  /** The pod that accepts writes. */
  readonly primary?: string;
  /** Number of replicas that are connected to the primary. @integer */
  readonly replicas?: number;
  /** @int64 */
  readonly observedGeneration?: number;
  /** @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/** A Redis server and its replicas. */
export const Redis = defineKind<RedisSpec, RedisStatus>({
  group: 'cache.acme.io',
  version: 'v1alpha1',
  kind: 'Redis',
  plural: 'redis',
  columns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Primary', type: 'string', jsonPath: '.status.primary' },
    { name: 'Replicas', type: 'integer', jsonPath: '.status.replicas' },
  ],
});
export type Redis = ObjectOf<typeof Redis>;
