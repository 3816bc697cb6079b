import { version as generator } from '../version.ts';
import type { AggregatedVersion } from './aggregated-versions.ts';

/** The Service of a project's deployed API server. */
export interface ApiServerPlace {
  readonly namespace: string;
  readonly service: string;
}

/** Returns the namespace and Service of the API server that `config/default` deploys, with kubebuilder's name prefix. */
export function apiServerPlace({
  projectName,
  namePrefix,
}: {
  readonly projectName: string;
  readonly namePrefix: string;
}): ApiServerPlace {
  const prefix = namePrefix === '' ? `${projectName}-` : namePrefix;
  return { namespace: `${prefix}system`, service: `${prefix}apiserver-service` };
}

/**
 * The priorities that Kubernetes gives to groups and versions of CRDs. With the same priorities, discovery does not change
 * when a kind moves between a CRD and an aggregated server.
 */
const priorities = { groupPriorityMinimum: 1000, versionPriority: 100 };

/**
 * Builds the APIService that routes a group version to the project's API server. Does not set the CA bundle: the
 * component that creates the certificate sets it.
 */
export function apiService(
  { group, version, kinds }: AggregatedVersion,
  { namespace, service }: ApiServerPlace,
): object {
  const labels = Object.assign({}, ...kinds.map(({ labels: own }) => own)) as object;
  const annotations = Object.assign(
    { 'kubewright.dev/version': generator },
    ...kinds.map(({ annotations: own }) => own),
  ) as object;
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {
      annotations,
      ...(Object.keys(labels).length > 0 && { labels }),
      name: `${version}.${group}`,
    },
    spec: { group, ...priorities, service: { name: service, namespace, port: 443 }, version },
  };
}
