import type { ObjectOf } from '@kubewright/apimachinery';
import { defineKind } from '@kubewright/runtime';

/** Facts about the pod that are known once it is scheduled. */
export interface PodInfoSpec {
  /** The node that the pod runs on; unset until the pod is scheduled. */
  readonly nodeName?: string;
  /** True if the pod uses the network of its node. */
  readonly hostNetwork?: boolean;
  /** The object that users created to get this pod. */
  readonly workload: Workload;
}

/** A workload, or the pod itself if no workload owns it. */
export interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** Facts about the pod that its node reports. */
export interface PodInfoStatus {
  /** All addresses of the pod. @listType atomic */
  readonly podIPs?: readonly string[];
}

/** The addresses, the node and the workload of the pod with the same name. */
export const PodInfo = defineKind<PodInfoSpec, PodInfoStatus>({
  group: 'pods.example.com',
  version: 'v1alpha1',
  kind: 'PodInfo',
  shortNames: ['pi'],
  columns: [
    { name: 'Node', type: 'string', jsonPath: '.spec.nodeName' },
    { name: 'Workload', type: 'string', jsonPath: '.spec.workload.name' },
    { name: 'Kind', type: 'string', jsonPath: '.spec.workload.kind' },
    { name: 'IP', type: 'string', jsonPath: '.status.podIPs[0]' },
  ],
});
export type PodInfo = ObjectOf<typeof PodInfo>;
