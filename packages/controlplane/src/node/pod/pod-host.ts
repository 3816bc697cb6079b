import type { Clock, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { ConfigMap, PersistentVolumeClaim, Pod, Secret, Service } from '@kubewright/apimachinery/core/v1';
import type { Driver } from '../driver.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { ProbeRunner } from '../probes/probe-runner.ts';

/** What pods of a node share: the part of the node agent that their workers see. No API client: workers decide, others write. */
export interface PodHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly driver: Driver;
  readonly node: { readonly name: string; readonly ip: string };
  readonly objects: PodObjects;
  readonly probes: ProbeRunner;
  readonly logs: LogStore;
  /** Images that were pulled already. */
  readonly images: Set<string>;
  readonly settings: PodSettings;
  /** Tells what happened to a pod. */
  event(pod: Pod, note: PodEvent): void;
  /** Takes note of an error, which may be that of a full disk. */
  noteFault(error: unknown): void;
  /** Asks for another look at a pod. */
  wake(pod: Pod): void;
}

/** An event about a pod. */
export interface PodEvent {
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** Objects that pods refer to. */
export interface PodObjects {
  configMap(namespace: string, name: string): ConfigMap | undefined;
  secret(namespace: string, name: string): Secret | undefined;
  services(namespace: string): readonly Service[];
  claim(namespace: string, name: string): Promise<PersistentVolumeClaim | undefined>;
  /** Asks for a token of the pod's service account, bound to the pod. */
  token(
    pod: KubernetesObject,
    request: TokenRequestSpec,
  ): Promise<{ readonly token: string; readonly expiresAtMs: number }>;
}

/** What kind of token a pod wants. */
export interface TokenRequestSpec {
  readonly audience: string | undefined;
  readonly expirationSeconds: number;
}

/** Numbers and permissions of a node. */
export interface PodSettings {
  /** First pause before a container is started again. @defaultValue 10_000 */
  readonly restartBackOffMs: number;
  /** Longest pause before a container is started again. @defaultValue 300_000 */
  readonly maxRestartBackOffMs: number;
  /** What containers without limits read as theirs. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** Whether pods may mount folders of this machine. @defaultValue false */
  readonly allowHostPath: boolean;
  /** Folder in which persistent volumes live; absent: claims cannot be mounted. */
  readonly claimFolder: string | undefined;
  /** Where pods reach the API server, and the PEM of its authority; absent: pods get no KUBECONFIG. */
  readonly apiServer: { readonly url: string; readonly ca: string } | undefined;
}
