/** The fields of a pod that refer to other objects. */
export interface ReferringPod {
  readonly metadata: {
    readonly name?: string | undefined;
    readonly namespace?: string | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly spec?: PodSpec | undefined;
  readonly status?: PodStatus | undefined;
}

interface PodSpec {
  readonly nodeName?: string;
  readonly serviceAccountName?: string;
  readonly imagePullSecrets?: readonly Named[] | null;
  readonly containers?: readonly Container[] | null;
  readonly initContainers?: readonly Container[] | null;
  readonly ephemeralContainers?: readonly Container[] | null;
  readonly volumes?: readonly Volume[] | null;
  readonly resourceClaims?: readonly PodResourceClaim[] | null;
}

interface PodStatus {
  readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[] | null;
  readonly extendedResourceClaimStatus?: { readonly resourceClaimName?: string };
}

interface Named {
  readonly name?: string;
}

interface Container {
  readonly envFrom?: readonly { readonly secretRef?: Named; readonly configMapRef?: Named }[] | null;
  readonly env?:
    | readonly { readonly valueFrom?: { readonly secretKeyRef?: Named; readonly configMapKeyRef?: Named } }[]
    | null;
}

interface PodResourceClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

/** The fields of a pod's volume that refer to other objects. */
export interface Volume {
  readonly name: string;
  readonly azureFile?: { readonly secretName?: string };
  readonly cephfs?: { readonly secretRef?: Named };
  readonly cinder?: { readonly secretRef?: Named };
  readonly flexVolume?: { readonly secretRef?: Named };
  readonly rbd?: { readonly secretRef?: Named };
  readonly scaleIO?: { readonly secretRef?: Named };
  readonly iscsi?: { readonly secretRef?: Named };
  readonly storageos?: { readonly secretRef?: Named };
  readonly csi?: { readonly driver?: string; readonly nodePublishSecretRef?: Named };
  readonly secret?: { readonly secretName?: string };
  readonly configMap?: Named;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly ephemeral?: { readonly volumeClaimTemplate?: unknown };
  readonly glusterfs?: unknown;
  readonly projected?: { readonly sources?: readonly ProjectedSource[] | null };
}

/** A source of a projected volume. */
export interface ProjectedSource {
  readonly secret?: Named;
  readonly configMap?: Named;
  readonly serviceAccountToken?: { readonly audience?: string };
  readonly clusterTrustBundle?: unknown;
  readonly podCertificate?: unknown;
}

/** Returns the names of the secrets that a pod refers to directly (not through a claim). Mirrors `VisitPodSecretNames` (1.36). */
export function secretNames({ spec }: ReferringPod): readonly string[] {
  const fromVolumes = (spec?.volumes ?? []).flatMap((volume) => [
    volume.azureFile?.secretName,
    ...secretRefs.map((source) => volume[source]?.secretRef?.name),
    volume.csi?.nodePublishSecretRef?.name,
    volume.secret?.secretName,
    ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
  ]);
  const fromContainers = containersOf(spec).flatMap(({ env, envFrom }) => [
    ...(envFrom ?? []).map(({ secretRef }) => secretRef?.name),
    ...(env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ]);
  return named([...(spec?.imagePullSecrets ?? []).map(({ name }) => name), ...fromContainers, ...fromVolumes]);
}

const secretRefs = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'] as const;

/** Returns the names of config maps that a pod refers to. Mirrors `VisitPodConfigmapNames` (1.36). */
export function configMapNames({ spec }: ReferringPod): readonly string[] {
  const fromVolumes = (spec?.volumes ?? []).flatMap(({ configMap, projected }) => [
    configMap?.name,
    ...(projected?.sources ?? []).map((source) => source.configMap?.name),
  ]);
  const fromContainers = containersOf(spec).flatMap(({ env, envFrom }) => [
    ...(envFrom ?? []).map(({ configMapRef }) => configMapRef?.name),
    ...(env ?? []).map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
  ]);
  return named([...fromContainers, ...fromVolumes]);
}

/** Returns the names of the volume claims of a pod, including the claims created for its ephemeral volumes. */
export function claimNames({ metadata, spec }: ReferringPod): readonly string[] {
  return named(
    (spec?.volumes ?? []).map(
      ({ name, persistentVolumeClaim, ephemeral }) =>
        persistentVolumeClaim?.claimName ?? (ephemeral && `${metadata.name}-${name}`),
    ),
  );
}

/** Returns the names of the resource claims of a pod. Only the pod's status names the claims created from templates. */
export function resourceClaimNames({ spec, status }: ReferringPod): readonly string[] {
  const made = new Map((status?.resourceClaimStatuses ?? []).map((each) => [each.name, each.resourceClaimName]));
  const claims = (spec?.resourceClaims ?? []).map(({ name, resourceClaimName, resourceClaimTemplateName }) =>
    resourceClaimTemplateName === undefined ? resourceClaimName : made.get(name),
  );
  return named([...claims, status?.extendedResourceClaimStatus?.resourceClaimName]);
}

/** True for a mirror pod: the API object of a static pod that runs on its node. */
export function isMirrorPod({ metadata }: ReferringPod): boolean {
  return metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
}

function containersOf(spec: PodSpec | undefined): readonly Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])];
}

function named(names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names)].filter((name): name is string => name !== undefined && name !== '');
}
