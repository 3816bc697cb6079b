interface SecretRef {
  readonly name?: string;
  readonly namespace?: string;
}

/** The fields of a persistent volume that refer to secrets. */
export interface ReferringVolume {
  readonly spec?: {
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
    readonly azureFile?: { readonly secretName?: string; readonly secretNamespace?: string | null };
    readonly cephfs?: { readonly secretRef?: SecretRef };
    readonly cinder?: { readonly secretRef?: SecretRef };
    readonly flexVolume?: { readonly secretRef?: SecretRef };
    readonly rbd?: { readonly secretRef?: SecretRef };
    readonly scaleIO?: { readonly secretRef?: SecretRef };
    readonly iscsi?: { readonly secretRef?: SecretRef };
    readonly storageos?: { readonly secretRef?: SecretRef };
    readonly csi?: {
      readonly nodePublishSecretRef?: SecretRef;
      readonly nodeStageSecretRef?: SecretRef;
      readonly nodeExpandSecretRef?: SecretRef;
    };
  };
}

/**
 * Returns the secrets that a node needs to mount a volume, as `namespace/name`. Excludes secrets that only controllers need.
 * Mirrors
 * `VisitPVSecretNames` (1.36).
 */
export function volumeSecrets({ spec }: ReferringVolume): readonly string[] {
  const claimNamespace = spec?.claimRef?.namespace ?? '';
  const { azureFile, csi } = spec ?? {};
  const own = [
    spec?.cinder?.secretRef,
    spec?.storageos?.secretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ];
  // Old volumes may omit the secret's namespace, which is then the claim's namespace.
  const orOfClaim = [
    azureFile && { name: azureFile.secretName, namespace: azureFile.secretNamespace },
    ...[spec?.cephfs, spec?.flexVolume, spec?.rbd, spec?.scaleIO, spec?.iscsi].map((source) => source?.secretRef),
  ].map((ref) => ref && { name: ref.name, namespace: ref.namespace || claimNamespace });
  return [...own, ...orOfClaim].filter((ref) => ref?.name).map((ref) => `${ref?.namespace ?? ''}/${ref?.name}`);
}
