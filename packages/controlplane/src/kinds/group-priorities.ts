import type { GroupPriorities } from '@kubewright/apiserver';

/** The priorities of the built-in API groups (upstream, 1.36). */
export const builtinPriorities: GroupPriorities = {
  groups: new Map([
    ['', 18000],
    ['admissionregistration.k8s.io', 16700],
    ['apiextensions.k8s.io', 16700],
    // The group of APIServices must take precedence over all others.
    ['apiregistration.k8s.io', 20000],
    ['apps', 17800],
    ['authentication.k8s.io', 17700],
    ['authorization.k8s.io', 17600],
    ['autoscaling', 17500],
    ['batch', 17400],
    ['certificates.k8s.io', 17300],
    ['coordination.k8s.io', 16500],
    ['discovery.k8s.io', 16200],
    ['events.k8s.io', 17750],
    ['flowcontrol.apiserver.k8s.io', 16100],
    // Copied from the manifest of metrics-server.
    ['metrics.k8s.io', 100],
    ['networking.k8s.io', 17200],
    ['node.k8s.io', 16300],
    ['policy', 17100],
    ['rbac.authorization.k8s.io', 17000],
    ['resource.k8s.io', 16200],
    ['scheduling.k8s.io', 16600],
    ['storage.k8s.io', 16800],
  ]),
  versions: new Map([
    ['/v1', 1],
    ['flowcontrol.apiserver.k8s.io/v1', 21],
    ['resource.k8s.io/v1', 21],
    ['autoscaling/v2', 30],
  ]),
};
