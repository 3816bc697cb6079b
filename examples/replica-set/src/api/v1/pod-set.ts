import type { ObjectOf } from '@kubewright/apimachinery';
import { defineKind } from '@kubewright/runtime';

/** The desired number of pods, and their container. */
export interface PodSetSpec {
  /** @int32 @minimum 0 @default 1 */
  readonly replicas?: number;
  readonly image: string;
  readonly command?: readonly string[];
}

/** The observed state. */
export interface PodSetStatus {
  /** Number of pods. @int32 */
  readonly replicas: number;
  /** Number of ready pods. @int32 */
  readonly readyReplicas: number;
}

/** Keeps a number of identical pods running. */
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
