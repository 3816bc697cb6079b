import type { Stored } from '@kubewright/apimachinery';
import type { PodAffinityTerm, PodSpec } from '@kubewright/apimachinery/core/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../instance/protocol.ts';

type Placement = Pick<PodSpec, 'nodeSelector' | 'tolerations' | 'topologySpreadConstraints' | 'affinity'>;

/**
 * Returns the part of an instance's pod spec that determines the pod's node. Instances run on different nodes and in
 * different zones if possible.
 */
export function placementOf({ metadata, spec }: Stored<PostgresCluster>): Placement {
  const { nodeSelector, tolerations, topologySpreadConstraints: constraints, podAntiAffinity = 'preferred' } = spec;
  const labelSelector = { matchLabels: { [clusterLabel]: metadata.name } };
  const different = (topologyKey: string): PodAffinityTerm => ({ labelSelector, topologyKey });
  const nodes = different('kubernetes.io/hostname');
  const zones = { weight: 50, podAffinityTerm: different('topology.kubernetes.io/zone') };
  return {
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations?.length && { tolerations }),
    ...(constraints?.length && {
      topologySpreadConstraints: constraints.map((constraint) => ({ labelSelector, ...constraint })),
    }),
    affinity: {
      podAntiAffinity:
        podAntiAffinity === 'required'
          ? {
              requiredDuringSchedulingIgnoredDuringExecution: [nodes],
              preferredDuringSchedulingIgnoredDuringExecution: [zones],
            }
          : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: nodes }, zones] },
    },
  };
}
