import type { Clock, KubernetesObject, Random } from '@kubewright/apimachinery';
import type {
  ConfigMap,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
} from '@kubewright/apimachinery/core/v1';
import type { Driver } from '../driver.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { ProbeRunner } from '../probes/probe-runner.ts';
import type { VolumeUsers } from '../volumes/volume-users.ts';

/** The part of the node agent that pod workers share. It has no API client: workers decide and the agent writes. */
export interface PodHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly driver: Driver;
  readonly node: { readonly name: string; readonly ip: string };
  readonly objects: PodObjects;
  readonly probes: ProbeRunner;
  readonly logs: LogStore;
  /** Images that have been pulled. */
  readonly images: Set<string>;
  readonly settings: PodSettings;
  /** Records an event about a pod. */
  event(pod: Pod, note: PodEvent): void;
  /** Records an error that may come from a full disk. */
  noteFault(error: unknown): void;
  /** Requests another sync of a pod. */
  wake(pod: Pod): void;
}

/** An event about a pod. */
export interface PodEvent {
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** Reads objects that pods refer to. */
export interface PodObjects {
  configMap(namespace: string, name: string): ConfigMap | undefined;
  secret(namespace: string, name: string): Secret | undefined;
  services(namespace: string): readonly Service[];
  claim(namespace: string, name: string): Promise<PersistentVolumeClaim | undefined>;
  persistentVolume(name: string): Promise<PersistentVolume | undefined>;
  /** Requests a token of the pod's service account, bound to the pod. */
  token(
    pod: KubernetesObject,
    request: TokenRequestSpec,
  ): Promise<{ readonly token: string; readonly expiresAtMs: number }>;
}

/** Parameters of a requested token. */
export interface TokenRequestSpec {
  readonly audience: string | undefined;
  readonly expirationSeconds: number;
}

/** Settings of a node. */
export interface PodSettings {
  /** First backoff before a container restart. @defaultValue 10_000 */
  readonly restartBackOffMs: number;
  /** Longest backoff before a container restart. @defaultValue 300_000 */
  readonly maxRestartBackOffMs: number;
  /** The node's allocatable resources. The downward API reports them as the limits of containers without limits. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** Allows pods to mount folders on this machine. @defaultValue false */
  readonly allowHostPath: boolean;
  /** Folder of the cluster's local volumes; if absent, claims cannot be mounted. */
  readonly volumeRoot: string | undefined;
  /** Users of the cluster's persistent volumes. @defaultValue a table for this node alone */
  readonly volumeUsers?: VolumeUsers | undefined;
  /** Folder in memory, for `emptyDir` volumes with `medium: Memory`. @defaultValue such volumes are on disk */
  readonly memoryRoot?: string | undefined;
  /** URL and CA certificate (PEM) of the API server for pods; if absent, pods get no KUBECONFIG. */
  readonly apiServer: { readonly url: string; readonly ca: string } | undefined;
}
