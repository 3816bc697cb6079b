import type { UnstructuredObject } from '@kubewright/apimachinery';

/** Returns the final name of an object; unchanged if the object is not part of this kustomization. */
export type Renamed = (kind: string, name: string) => string;

/** An entry of a kustomization's `images`. */
export interface ImageEntry {
  readonly name: string;
  readonly newName?: string;
  readonly newTag?: string;
}

/** Kinds that create pods, and the path of the pod's spec. */
const podSpecAt: Readonly<Record<string, string>> = {
  Pod: 'spec',
  PodTemplate: 'template.spec',
  Deployment: 'spec.template.spec',
  ReplicaSet: 'spec.template.spec',
  StatefulSet: 'spec.template.spec',
  DaemonSet: 'spec.template.spec',
  Job: 'spec.template.spec',
  ReplicationController: 'spec.template.spec',
  CronJob: 'spec.jobTemplate.spec.template.spec',
};

/** Kinds that create pods. */
export const workloads: readonly string[] = Object.keys(podSpecAt);

interface Named {
  name?: string;
}
interface Keyed {
  configMap?: Named;
  secret?: Named;
}
interface Container {
  image?: string;
  env?: { valueFrom?: { configMapKeyRef?: Named; secretKeyRef?: Named } }[];
  envFrom?: { configMapRef?: Named; secretRef?: Named }[];
}
interface Volume {
  configMap?: Named;
  secret?: { secretName?: string };
  persistentVolumeClaim?: { claimName?: string };
  projected?: { sources?: Keyed[] };
}
/** The fields of a pod that reference other objects; the API server validates the rest. */
interface PodSpec {
  serviceAccountName?: string;
  priorityClassName?: string;
  imagePullSecrets?: Named[];
  containers?: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
}

/** Updates references and images in an object's pods to their final names. */
export function renameInPods(
  object: UnstructuredObject,
  { renamed, images }: { readonly renamed: Renamed; readonly images: readonly ImageEntry[] },
): void {
  if (!workloads.includes(object.kind)) return;
  let at: unknown = object;
  for (const field of podSpecAt[object.kind]?.split('.') ?? [])
    at = (at as Record<string, unknown> | undefined)?.[field];
  if (typeof at !== 'object' || at === null) return;
  const pod = at as PodSpec; // existing fields have the types that the API requires; otherwise the API server rejects them
  const rename = <K extends string>(holder: { [P in K]?: string } | undefined, field: K, kind: string): void => {
    const name = holder?.[field];
    if (holder && name) holder[field] = renamed(kind, name);
  };
  rename(pod, 'serviceAccountName', 'ServiceAccount');
  rename(pod, 'priorityClassName', 'PriorityClass');
  for (const each of pod.imagePullSecrets ?? []) rename(each, 'name', 'Secret');
  for (const container of [...(pod.initContainers ?? []), ...(pod.containers ?? [])]) {
    container.image = imageOf(container.image, images);
    for (const { valueFrom } of container.env ?? []) {
      rename(valueFrom?.configMapKeyRef, 'name', 'ConfigMap');
      rename(valueFrom?.secretKeyRef, 'name', 'Secret');
    }
    for (const { configMapRef, secretRef } of container.envFrom ?? []) {
      rename(configMapRef, 'name', 'ConfigMap');
      rename(secretRef, 'name', 'Secret');
    }
  }
  for (const volume of pod.volumes ?? []) {
    rename(volume.configMap, 'name', 'ConfigMap');
    rename(volume.secret, 'secretName', 'Secret');
    rename(volume.persistentVolumeClaim, 'claimName', 'PersistentVolumeClaim');
    for (const { configMap, secret } of volume.projected?.sources ?? []) {
      rename(configMap, 'name', 'ConfigMap');
      rename(secret, 'name', 'Secret');
    }
  }
}

function imageOf(image = '', images: readonly ImageEntry[]): string {
  const [, name = image, tag] = /^(.*?)(?::([^/:]+))?$/.exec(image) ?? [];
  const found = images.find((each) => each.name === name);
  if (!found) return image;
  const newTag = found.newTag ?? tag;
  return newTag === undefined ? (found.newName ?? name) : `${found.newName ?? name}:${newTag}`;
}
