import type { Container, Pod } from '@kubewright/apimachinery/core/v1';

/** A config map or secret in the pod's namespace that a pod refers to. */
export interface ObjectReference {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
}

/** Returns the config maps and secrets used by a pod's containers and volumes. */
export function podReferences({ metadata, spec }: Pod): readonly ObjectReference[] {
  const { namespace = '' } = metadata;
  const containers: readonly Pick<Container, 'env' | 'envFrom'>[] = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ];
  const volumes = spec?.volumes ?? [];
  const sources = volumes.flatMap(({ projected }) => projected?.sources ?? []);
  const env = containers.flatMap((container) => container.env ?? []);
  const envFrom = containers.flatMap((container) => container.envFrom ?? []);
  const configMaps = [
    ...volumes.map(({ configMap }) => configMap?.name),
    ...sources.map(({ configMap }) => configMap?.name),
    ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ...envFrom.map(({ configMapRef }) => configMapRef?.name),
  ];
  const secrets = [
    ...(spec?.imagePullSecrets ?? []).map(({ name }) => name),
    ...volumes.map(({ secret }) => secret?.secretName),
    ...sources.map(({ secret }) => secret?.name),
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ...envFrom.map(({ secretRef }) => secretRef?.name),
  ];
  return [...references('ConfigMap', configMaps), ...references('Secret', secrets)];

  function references(
    kind: ObjectReference['kind'],
    names: readonly (string | undefined)[],
  ): readonly ObjectReference[] {
    return [...new Set(names)].flatMap((name) => (name ? [{ kind, namespace, name }] : []));
  }
}
