import type { KubernetesObject } from '@kubewright/apimachinery';
import type { PortForwardOptions } from '../streaming/spdy-port-forward.ts';
import type { TerminalSize } from '../streaming/terminal-sizes.ts';

export type { PortForwardOptions } from '../streaming/spdy-port-forward.ts';
export type { TerminalSize } from '../streaming/terminal-sizes.ts';

/**
 * The API server's connection to the node that runs a pod, like its connection to a kubelet.
 *
 * @example
 * ```ts
 * import { Readable } from 'node:stream';
 *
 * const connector: NodeConnector = {
 *   logs: async () => Readable.from([Buffer.from('started\n')]),
 *   exec: async (pod, { command, stdout }) => {
 *     await stdout(Buffer.from(`${command.join(' ')} in ${pod.metadata.name}\n`));
 *     return { exitCode: 0 };
 *   },
 * };
 * await using cluster = await EmbeddedCluster.start({ connector });
 * ```
 */
export interface NodeConnector {
  /**
   * Streams a container's log.
   *
   * @throws StatusError 400 or 404, with the kubelet's message (container not found, waiting to start, previous container not
   * found).
   */
  logs(pod: KubernetesObject, options: LogOptions): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Checks that a command can run in a container now. Called before the connection switches protocols, because no status code can
   * be sent afterwards.
   *
   * @throws StatusError with the kubelet's message.
   */
  check?(pod: KubernetesObject, options: ContainerCheckOptions): Promise<void>;
  /** Runs a command in a container. */
  exec(pod: KubernetesObject, options: ExecOptions): Promise<{ readonly exitCode: number }>;
  /** Attaches to a running container's streams. Resolves when the container has ended. @defaultValue the server returns 501 */
  attach?(pod: KubernetesObject, options: AttachOptions): Promise<void>;
  /**
   * Connects to a port of a pod. Resolves when the connection has ended.
   *
   * @defaultValue the server returns 501
   * @throws Error if the connection fails. The client receives the error's message.
   */
  portForward?(pod: KubernetesObject, options: PortForwardOptions): Promise<void>;
  /** Returns the current usage of the node's running containers, for `kubectl top` and autoscalers. @defaultValue usage is unknown */
  usage?(): Promise<readonly NodeUsage[]>;
}

/** The resource usage of a node's containers. */
export interface NodeUsage {
  /** The name of the node. */
  readonly name: string;
  /** The node's own usage, excluding its pods. */
  readonly own?: ContainerUsage | undefined;
  readonly pods: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly containers: readonly ContainerUsage[];
  }[];
}

/** The resource usage of a container. */
export interface ContainerUsage {
  readonly name: string;
  /** The container's id, which changes with each restart. */
  readonly id: string;
  readonly startedAtMs: number;
  /** Time at which the node measured the usage. Rates over short periods need this time, because the response arrives later. */
  readonly atMs: number;
  /** Processor time used since the container started. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** The fields of core/v1 `PodLogOptions`. */
export interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly sinceSeconds?: number | undefined;
  readonly sinceTime?: string | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly signal: AbortSignal;
}

/** An exec or attach to check before it starts. */
export interface ContainerCheckOptions {
  readonly container: string;
  /** Set if the operation uses a terminal: `exec` for a new terminal, `attach` for the container's own terminal. */
  readonly terminal?: 'exec' | 'attach' | undefined;
}

/** The fields of core/v1 `PodExecOptions`, with the client's streams. */
export interface ExecOptions extends AttachOptions {
  readonly command: readonly string[];
}

/** The fields of core/v1 `PodAttachOptions`, with the client's streams. */
export interface AttachOptions {
  readonly container: string;
  readonly tty: boolean;
  /** With `tty`: the initial size of the client's terminal, then its size after each change. */
  readonly sizes?: AsyncIterable<TerminalSize> | undefined;
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  /** Sends output to the client. Resolves when the client can take more, or has disconnected. */
  readonly stdout: (chunk: Uint8Array) => Promise<void>;
  readonly stderr: (chunk: Uint8Array) => Promise<void>;
  readonly signal: AbortSignal;
}
