import type { Stored } from '@kubewright/apimachinery';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { type Container, Service } from '@kubewright/apimachinery/core/v1';
import type { Redis } from './api/v1alpha1/redis.ts';

/** The label of an object's pods. */
export const instanceLabel = 'cache.acme.io/redis';

/** Returns the Services: one for the primary, and one that gives the pods their names. */
export function servicesFor({ metadata: { name } }: Stored<Redis>, primary: string | undefined): readonly Service[] {
  const ports = [{ name: 'redis', port: 6379 }];
  const selector = { [instanceLabel]: name };
  const toPrimary = { ...selector, 'statefulset.kubernetes.io/pod-name': primary ?? `${name}-0` };
  return [
    Service({ metadata: { name }, spec: { ports, selector: toPrimary } }),
    Service({ metadata: { name: `${name}-servers` }, spec: { clusterIP: 'None', ports, selector } }),
  ];
}

/**
 * Returns the servers. Each starts as a replica of an address where no server runs: a restarted primary has no data,
 * and its replicas must not copy that empty state.
 */
export function serversFor({ metadata: { name }, spec }: Stored<Redis>): StatefulSet {
  const labels = { [instanceLabel]: name };
  const server: Container = {
    name: 'redis',
    image: 'redis:6.2',
    // By default, a primary waits five seconds for more replicas before it sends its data.
    args: ['--replicaof', '127.0.0.1', '1', '--repl-diskless-sync-delay', '0'],
    env: [{ name: 'POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } }],
    ports: [{ name: 'redis', containerPort: 6379 }],
    readinessProbe: { tcpSocket: { port: 'redis' }, periodSeconds: 1 },
  };
  return StatefulSet({
    metadata: { name },
    spec: {
      serviceName: `${name}-servers`,
      replicas: spec.size ?? 3,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [server] } },
    },
  });
}
