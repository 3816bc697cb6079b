import type { Kind, KubernetesObject } from '@kubewright/apimachinery';

/** Records the current leader or a member (coordination.k8s.io/v1 `Lease`). */
export interface Lease extends KubernetesObject {
  readonly spec?: LeaseSpec;
}

/** Spec of a {@link Lease}. */
export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** The kind of {@link Lease}. */
export const LeaseKind: Kind<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
};
