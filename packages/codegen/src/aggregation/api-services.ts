import { version as generator } from '../version.ts';
import type { AggregatedVersion } from './aggregated-versions.ts';

/** The address of a project's own API server after deployment. */
export interface ApiServerPlace {
  readonly namespace: string;
  readonly service: string;
}

/** Returns the address that `config/default` deploys to, under kubebuilder's prefix. */
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

/** The priorities of CRD groups and versions, so that clients see the same order no matter which server serves a kind. */
const priorities = { groupPriorityMinimum: 1000, versionPriority: 100 };

/**
 * Builds the APIService that assigns a group version to the project's own API server. The CA bundle is set where the
 * certificate is created.
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
