/** Upstream's priorities of the groups that it serves itself (1.36). */
const GROUP_PRIORITIES: Readonly<Record<string, number>> = {
  '': 18000,
  'admissionregistration.k8s.io': 16700,
  'apiextensions.k8s.io': 16700,
  // No other group may take precedence over APIServices.
  'apiregistration.k8s.io': 20000,
  apps: 17800,
  'authentication.k8s.io': 17700,
  'authorization.k8s.io': 17600,
  autoscaling: 17500,
  batch: 17400,
  'certificates.k8s.io': 17300,
  'coordination.k8s.io': 16500,
  'discovery.k8s.io': 16200,
  'events.k8s.io': 17750,
  'flowcontrol.apiserver.k8s.io': 16100,
  'networking.k8s.io': 17200,
  'node.k8s.io': 16300,
  policy: 17100,
  'rbac.authorization.k8s.io': 17000,
  'resource.k8s.io': 16200,
  'scheduling.k8s.io': 16600,
  'storage.k8s.io': 16800,
};
const VERSION_PRIORITIES: Readonly<Record<string, number>> = {
  '/v1': 1,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'resource.k8s.io/v1': 21,
  'autoscaling/v2': 30,
};

/** Returns the priority of a local group; the highest comes first. */
export function groupPriority(group: string): number {
  return GROUP_PRIORITIES[group] ?? 1000;
}

/** Returns the priority of a version in its group. */
export function versionPriority(of: {
  readonly group: string;
  readonly version: string;
  readonly custom: boolean;
}): number {
  return of.custom ? 100 : (VERSION_PRIORITIES[`${of.group}/${of.version}`] ?? 15);
}
