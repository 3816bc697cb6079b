import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { ClientInterceptor } from '@kubewright/client';

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

/**
 * Sends calls over dedicated connections. Over HTTP/1.1 the number of ordinary connections is limited, and a lease must
 * be renewed in time even if slow calls hold all of these connections.
 */
export const onOwnConnection: ClientInterceptor = (call, next) =>
  next({ ...call, request: { ...call.request, longRunning: true } });
