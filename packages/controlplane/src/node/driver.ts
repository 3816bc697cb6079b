import type { KubernetesObject } from '@kubewright/apimachinery';
import type { Secret } from '@kubewright/apimachinery/core/v1';
import type { TerminalSize } from '../kube-apiserver/pods/node-connector.ts';
import type { MemoryFiles } from './inproc/memory-files.ts';

/**
 * Runs containers for the node agent. The agent decides what runs and when (init order, restarts, probes, grace periods). A
 * driver only starts and stops single container attempts and reports results. Drivers: `simulated` (pure functions of pod and
 * clock), `process` (a container is a local process group), `inproc` (a container is a function), `container` (OCI images).
 */
export interface Driver extends AsyncDisposable {
  readonly name: string;
  /** The reason why containers and commands cannot run on terminals; absent if they can. */
  readonly noTerminals?: string | undefined;
  /**
   * True if containers start without delay. The status of a new pod is then not written until its containers run.
   * @defaultValue false
   */
  readonly startsAtOnce?: boolean;
  /**
   * True if containers see only their own volumes. These then have the modes of a kubelet's volumes, which are open to all
   * users of a container. @defaultValue false
   */
  readonly hidesVolumes?: boolean;
  /** True if containers do not read their environment, so the node needs no Services. @defaultValue false */
  readonly ignoresEnvironment?: boolean;
  /** In-memory storage of volumes; absent if volumes are on disk. */
  readonly files?: MemoryFiles;
  /** Prepares the resources shared by the pod's containers (address, folders) before any container starts. */
  preparePod(pod: PodSandboxRequest): Promise<PodSandbox>;
  /**
   * Returns the settings of a pod that this driver ignores, for a warning: `memory limits (main)`.
   * @defaultValue none; the documentation of the driver lists them
   */
  unenforced?(pod: KubernetesObject): readonly string[];
  /** Frees the resources of {@link preparePod} once all containers have ended. Idempotent. */
  removePod(uid: string): Promise<void>;
  /**
   * Returns true if an image is on this machine and need not be pulled. Without this method, only images that the node
   * has already pulled count as present.
   */
  hasImage?(image: string): boolean;
  /**
   * Returns true if an image was loaded by hand. The node uses such an image with every pull policy, and does not request its pull.
   *
   * @defaultValue false
   */
  isLoaded?(image: string): boolean;
  /**
   * Resolves an image and ensures that it can be run.
   *
   * @throws ImageError with reason `ErrImagePull` or `InvalidImageName` and a message that explains how to map the
   * image.
   */
  pullImage(image: string, request: PullRequest): Promise<ImageReference>;
  /**
   * Returns the user that a container runs as, who must own its volumes. Without this method, the node does not set the
   * owner of volumes.
   */
  userOf?(container: {
    readonly podUid: string;
    readonly image: string;
    readonly securityContext: ContainerRequest['securityContext'];
  }): Promise<{ readonly uid: number; readonly gid: number; readonly groups?: readonly number[] } | undefined>;
  /** Starts one attempt of a container. Resolves once the container runs. */
  startContainer(request: ContainerRequest): Promise<RunningContainer>;
  /**
   * Returns the resource usage of running containers by container id, without containers whose usage is unknown.
   * Without this method, no usage is known.
   */
  usages?(containers: readonly UsedContainer[]): Promise<ReadonlyMap<string, Usage>>;
  /**
   * Kills everything immediately and starts nothing more, without waiting. Used as the last resort if a stop takes too
   * long.
   */
  kill(): void;
}

/** The container that an image is pulled for. */
export interface PullRequest {
  readonly podUid: string;
  readonly containerName: string;
  /** True if the image is on this machine, and the container's pull policy allows using it or it was loaded by hand. */
  readonly isPresent: boolean;
  /** The pod's Secrets with credentials for registries. @defaultValue none */
  readonly secrets?: readonly Secret[] | undefined;
}

/** A pod whose containers are about to start. */
export interface PodSandboxRequest {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly pod: KubernetesObject;
  /** The node's own address, for a pod with host networking. If absent, the pod gets its own address. */
  readonly hostIP?: string | undefined;
}

/** The resources that a pod gets on this node. */
export interface PodSandbox {
  /** The pod's own address. */
  readonly podIP: string;
  /** Folder for the pod's volumes and logs; absent if the driver keeps nothing on disk. */
  readonly folder?: string;
  /** For a pod with its own network: the address of this machine at which the pod's declared ports are reachable. */
  readonly hostAddress?: HostAddress;
}

/** An address of this machine at which a pod's ports are reachable. */
export interface HostAddress {
  readonly ip: string;
  readonly ports: readonly number[];
  /** Ports at which this process cannot listen, with the reason. */
  readonly failed: readonly { readonly port: number; readonly why: string }[];
}

/** A resolved image. */
export interface ImageReference {
  readonly image: string;
  readonly imageId: string;
  /** The local program that replaces the image, if any: `Redis 7.0.15 at /usr/bin/redis-server`. */
  readonly runs?: string;
  /** Size of the image, in bytes, if it was pulled from a registry just now. */
  readonly pulledBytes?: number;
  /** The image's own command, set if messages should say that a pod's command replaces it. */
  readonly command?: readonly string[];
}

/** One attempt to run a container, with all references to API objects already resolved. */
export interface ContainerRequest {
  readonly podUid: string;
  readonly namespace: string;
  readonly podName: string;
  readonly podIP: string;
  readonly containerName: string;
  /** 0 for the first start, incremented by each restart. */
  readonly attempt: number;
  readonly image: ImageReference;
  /** The pod's command, with `$(VAR)` already expanded. If absent, the image's entry point applies. */
  readonly command: readonly string[] | undefined;
  readonly args: readonly string[] | undefined;
  readonly workingDir: string | undefined;
  readonly env: ReadonlyMap<string, string>;
  readonly mounts: readonly VolumeMount[];
  readonly securityContext: {
    readonly runAsUser?: number;
    readonly runAsGroup?: number;
    /** Supplementary groups: the pod's fsGroup and supplementalGroups. */
    readonly groups?: readonly number[];
    /** True if the container must not run as user 0. */
    readonly runAsNonRoot?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly privileged?: boolean;
    readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  };
  readonly ports: readonly { readonly name?: string; readonly containerPort: number; readonly protocol: string }[];
  /** Stop signal, if the pod specifies one. @defaultValue the image's stop signal */
  readonly stopSignal?: string;
  /** The container whose processes this ephemeral container can see and signal. @defaultValue only its own processes */
  readonly targetContainerName?: string;
  /** Standard input: `open` stays open for attached clients; `once` ends with the first client that closes it. */
  readonly stdin: 'none' | 'open' | 'once';
  /** True if the container runs on its own terminal, with all output on `stdout`. */
  readonly tty: boolean;
  /** Receives the container's output in chunks. */
  readonly output: ContainerOutput;
}

/** Destination of a container's output. */
export interface ContainerOutput {
  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void;
}

/** A prepared host directory or file mounted into a container at `mountPath`. */
export interface VolumeMount {
  readonly mountPath: string;
  readonly hostPath: string;
  readonly readOnly: boolean;
  /**
   * For a mount with a `subPath`: the volume and the path in it. Do not follow links in the path: containers can create
   * them.
   */
  readonly subPath?: { readonly volume: string; readonly below: string };
}

/** A running container. */
export interface RunningContainer {
  readonly containerId: string;
  readonly startedAtMs: number;
  /** Resolves when the container has ended; never rejects. */
  readonly exited: Promise<ContainerExit>;
  /** Sends the stop signal (the image's, or SIGTERM) and, after the grace period, SIGKILL to the whole group. */
  stop(options: { readonly graceMs: number }): Promise<ContainerExit>;
  /** Runs another command in the container's environment. */
  exec(request: ExecRequest): Promise<ExecSession>;
  /**
   * Attaches to the container's streams, without earlier output. Resolves when the container has ended or `signal` is aborted.
   */
  attach(request: AttachRequest): Promise<void>;
}

/** A running container and its pod, for measuring its usage. */
export interface UsedContainer {
  readonly pod: KubernetesObject;
  readonly name: string;
  readonly running: RunningContainer;
}

/** The usage of a container: processor time since its start, and current memory. */
export interface Usage {
  /** Time of the measurement, in milliseconds since 1970. */
  readonly atMs: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** Describes how a container ended. */
export interface ContainerExit {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason: 'Completed' | 'Error' | 'OOMKilled' | 'ContainerCannotRun';
  readonly message?: string;
  readonly finishedAtMs: number;
}

/** A command to run in a container's environment. With `sizes`, it runs on its own terminal, with all output on `stdout`. */
export interface ExecRequest extends AttachRequest {
  readonly command: readonly string[];
}

/** Streams of an attached client. */
export interface AttachRequest {
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  /** Receives output. The process waits until the promise resolves. */
  readonly stdout: (chunk: Uint8Array) => Promise<void> | void;
  readonly stderr: (chunk: Uint8Array) => Promise<void> | void;
  /** Sizes of the client's terminal, if it has one. */
  readonly sizes?: AsyncIterable<TerminalSize> | undefined;
  readonly signal: AbortSignal;
}

/** A running exec. */
export interface ExecSession {
  readonly exited: Promise<{ readonly exitCode: number }>;
}
