import type { ObjectOf } from '@kubewright/apimachinery';
import { defineKind } from '@kubewright/runtime';

/** Which pods to run, and how many. */
export interface PodSetSpec {
  /** @int32 @minimum 0 @default 1 */
  readonly replicas?: number;
  readonly image: string;
  readonly command?: readonly string[];
}

/** The observed pods. */
export interface PodSetStatus {
  /** Number of pods. @int32 */
  readonly replicas: number;
  /** Number of ready pods. @int32 */
  readonly readyReplicas: number;
}

/** A number of equal pods. */
export const PodSet = defineKind<PodSetSpec, PodSetStatus>({
  group: 'sets.example.com',
  version: 'v1',
  kind: 'PodSet',
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  columns: [
    { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Current', type: 'integer', jsonPath: '.status.replicas' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
  ],
});
export type PodSet = ObjectOf<typeof PodSet>;
