import type { KubernetesObject } from '@kubewright/apimachinery';

/** The fields that a status can have. */
interface Progress {
  readonly phase?: string;
  readonly containerStatuses?: readonly {
    readonly ready: boolean;
    readonly state?: { readonly waiting?: { readonly reason?: string } };
  }[];
  readonly readyReplicas?: number;
  readonly replicas?: number;
  readonly numberReady?: number;
  readonly desiredNumberScheduled?: number;
  readonly active?: unknown;
  readonly succeeded?: number;
  readonly failed?: number;
}

/** Returns the status of a workload in a few words, such as `2 of 3 ready`. */
export function progressOf(object: KubernetesObject): string {
  const { status = {}, spec = {} } = object as {
    readonly status?: Progress;
    readonly spec?: { readonly replicas?: number };
  };
  const { containerStatuses = [] } = status;
  switch (object.kind) {
    case 'Pod': {
      const ready = containerStatuses.filter((each) => each.ready).length;
      const reasons = new Set(containerStatuses.flatMap(({ state }) => state?.waiting?.reason ?? []));
      const waiting = reasons.size > 0 ? ` (${[...reasons].join(', ')})` : '';
      return `${status.phase ?? 'Pending'}, ${ready} of ${containerStatuses.length} containers ready${waiting}`;
    }
    case 'DaemonSet':
      return `${status.numberReady ?? 0} of ${status.desiredNumberScheduled ?? 0} ready`;
    case 'Job':
      return `${status.active ?? 0} active, ${status.succeeded ?? 0} succeeded, ${status.failed ?? 0} failed`;
    case 'CronJob':
      return `${Array.isArray(status.active) ? status.active.length : 0} active`;
    default:
      return `${status.readyReplicas ?? 0} of ${spec.replicas ?? 1} ready`;
  }
}
