import type { KubernetesObject } from '@kubewright/apimachinery';
import type { TerminalSize } from '../apiserver/node-connector.ts';

/**
 * Runs containers for the node agent. The agent decides what runs when (init order, restarts, probes, grace); a driver
 * only starts and ends one container attempt and reports. Drivers: `simulated` (pure functions of pod and clock),
 * `process` (a container is a local process group).
 */
export interface Driver extends AsyncDisposable {
  readonly name: string;
  /** Whether {@link RunningContainer.exec} knows what to do with `sizes`. @defaultValue false */
  readonly hasTerminals?: boolean;
  /** Prepares what the pod's containers share (address, folders) before anything starts. */
  preparePod(pod: PodSandboxRequest): Promise<PodSandbox>;
  /** Frees what {@link preparePod} took; all containers have ended. Idempotent. */
  removePod(uid: string): Promise<void>;
  /**
   * Makes sure that an image can be run.
   *
   * @throws ImageError with reason `ErrImagePull` or `InvalidImageName` and a message that says how to map it.
   */
  pullImage(image: string): Promise<ImageReference>;
  /** Whom a container runs as, so that its volumes can be made its own; absent where the question makes no sense. */
  userOf?(container: {
    readonly podUid: string;
    readonly image: string;
    readonly securityContext: ContainerRequest['securityContext'];
  }): Promise<{ readonly uid: number; readonly gid: number; readonly groups?: readonly number[] } | undefined>;
  /** Starts one attempt of one container; resolves once it runs. */
  startContainer(request: ContainerRequest): Promise<RunningContainer>;
  /** Ends everything at once and starts nothing more; waits for nothing. What is left to do when a stop takes too long. */
  kill(): void;
}

/** A pod whose containers are about to start. */
export interface PodSandboxRequest {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly pod: KubernetesObject;
  /** The node's own address, for a pod of the host's network; absent: the pod gets one of its own. */
  readonly hostIP?: string | undefined;
}

/** What a pod got on this node. */
export interface PodSandbox {
  /** The pod's own address. */
  readonly podIP: string;
  /** Folder for the pod's volumes and logs; absent when the driver keeps nothing on disk. */
  readonly folder?: string;
}

/** A resolved image. */
export interface ImageReference {
  readonly image: string;
  readonly imageId: string;
  /** What runs for it, where that is not the image itself: `Redis 7.0.15 at /usr/bin/redis-server`. */
  readonly runs?: string;
  /** Its own command, where a pod's command that replaces it is worth a word. */
  readonly command?: readonly string[];
}

/** One attempt to run one container: everything is resolved, nothing refers to the API any more. */
export interface ContainerRequest {
  readonly podUid: string;
  readonly namespace: string;
  readonly podName: string;
  readonly podIP: string;
  readonly containerName: string;
  /** 0 for the first start, then one more for each restart. */
  readonly attempt: number;
  readonly image: ImageReference;
  /** As in the pod; the image's own entry point stands in when absent. `$(VAR)` is expanded already. */
  readonly command: readonly string[] | undefined;
  readonly args: readonly string[] | undefined;
  readonly workingDir: string | undefined;
  readonly env: ReadonlyMap<string, string>;
  readonly mounts: readonly VolumeMount[];
  readonly securityContext: {
    readonly runAsUser?: number;
    readonly runAsGroup?: number;
    /** Further groups: the pod's fsGroup and supplementalGroups. */
    readonly groups?: readonly number[];
  };
  readonly ports: readonly { readonly name?: string; readonly containerPort: number; readonly protocol: string }[];
  /** Signal that asks it to stop, when the pod names one. @defaultValue the image's */
  readonly stopSignal?: string;
  /** Whether it has a standard input that stays open for whoever attaches; `once`: until the first of them ends it. */
  readonly stdin: 'none' | 'open' | 'once';
  /** Receives the container's output, line by line or in pieces. */
  readonly output: ContainerOutput;
}

/** Where a container's output goes. */
export interface ContainerOutput {
  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void;
}

/** A prepared host directory or file that a container sees at `mountPath`. */
export interface VolumeMount {
  readonly mountPath: string;
  readonly hostPath: string;
  readonly readOnly: boolean;
}

/** A container that runs. */
export interface RunningContainer {
  readonly containerId: string;
  readonly startedAtMs: number;
  /** Resolves when it has ended; never rejects. */
  readonly exited: Promise<ContainerExit>;
  /** Sends the stop signal (the image's, or SIGTERM) and, after the grace, SIGKILL to the whole group. */
  stop(options: { readonly graceMs: number }): Promise<ContainerExit>;
  /** Runs another command in the container's surroundings. */
  exec(request: ExecRequest): Promise<ExecSession>;
  /** Joins its streams, from now on; resolves when it has ended or `signal` is aborted. */
  attach(request: AttachRequest): Promise<void>;
}

/** How a container ended. */
export interface ContainerExit {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason: 'Completed' | 'Error' | 'OOMKilled' | 'ContainerCannotRun';
  readonly message?: string;
  readonly finishedAtMs: number;
}

/** A command to run beside a container. */
export interface ExecRequest extends AttachRequest {
  readonly command: readonly string[];
  /** Runs it on a terminal of these sizes, with all its output on `stdout`. @defaultValue without a terminal */
  readonly sizes?: AsyncIterable<TerminalSize> | undefined;
}

/** The ends of streams. */
export interface AttachRequest {
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  readonly stdout: (chunk: Uint8Array) => void;
  readonly stderr: (chunk: Uint8Array) => void;
  readonly signal: AbortSignal;
}

/** A running exec. */
export interface ExecSession {
  readonly exited: Promise<{ readonly exitCode: number }>;
}
