import type { KubernetesObject } from '@kubewright/apimachinery';

/** Who leads (coordination.k8s.io/v1 `Lease`). */
export interface Lease extends KubernetesObject {
  readonly spec?: LeaseSpec;
}

/** What a Lease says. */
export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}
