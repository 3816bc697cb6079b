import { version as generator } from '../version.ts';
import type { AggregatedVersion } from './aggregated-versions.ts';

/** Where a project's own API server answers, once it is deployed. */
export interface ApiServerPlace {
  readonly namespace: string;
  readonly service: string;
}

/** The place that `config/default` deploys to, under kubebuilder's prefix. */
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

/** The rank of groups of CRDs and that of their versions: who answers for a kind changes nothing for who asks. */
const PRIORITIES = { groupPriorityMinimum: 1000, versionPriority: 100 };

/** Gives a group version to the project's own API server. The authority of its certificate is set where it is made. */
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
    spec: { group, ...PRIORITIES, service: { name: service, namespace, port: 443 }, version },
  };
}
