import type { Duplex } from 'node:stream';
import type { ObjectKey } from '@kubewright/apimachinery';
import type { CallOptions } from '../resource/call-options.ts';
import type { ByteStream } from '../resource/resource-client.ts';
import type { EvictionResult, EvictOptions } from './evict.ts';
import type { PodCommand } from './pod-command.ts';
import type { PortForward, PortForwardOptions } from './port-forward.ts';

/**
 * Operations on pods other than reads and writes of objects. Keys without a namespace use the client's default namespace.
 *
 * @example
 * const { stdout } = await (await client.pods.exec({ name: 'web-0' }, { command: ['hostname'] })).text();
 */
export interface PodsClient {
  /** Streams a container's log as bytes. With `follow`, the stream ends when the container does. */
  logs(key: ObjectKey, options?: PodLogOptions): Promise<ByteStream>;
  /**
   * Runs a command in a container, without a shell unless you name one. Resolves once the command has started.
   *
   * Uses a WebSocket with `v5.channel.k8s.io`, or `v4.channel.k8s.io` on older servers, where the command does not see
   * the end of its input. Never retried once sent.
   *
   * @example
   * const command = await client.pods.exec({ name: 'db-0' }, { command: ['psql', '-f', '-'], stdin: createReadStream('seed.sql') });
   * for await (const { stream, bytes } of command) process[stream].write(bytes);
   * process.exitCode = await command.exit();
   */
  exec(key: ObjectKey, options: ExecOptions): Promise<PodCommand>;
  /** Connects to the streams of a container's main process, like `kubectl attach`; ends when the container does. */
  attach(key: ObjectKey, options?: AttachOptions): Promise<PodCommand>;
  /**
   * Connects to a port of a pod. Returns a stream of bytes that, for example, Node's HTTP client can use. The protocol
   * has no half-close, so the pod does not learn that you have ended the stream; you can read until the pod closes its
   * side.
   *
   * @example
   * const socket = await client.pods.connect({ name: 'web-0' }, { port: 8080 });
   * const request = http.get({ path: '/healthz', createConnection: () => socket });
   */
  connect(key: ObjectKey, options: { readonly port: number } & CallOptions): Promise<Duplex>;
  /**
   * Listens on this machine and forwards each connection to a port of a pod, like `kubectl port-forward`. Stops on the signal or
   * when disposed. After the local client has ended its side, the connection is closed once the pod has sent nothing
   * for a minute.
   *
   * @example
   * await using forward = await client.pods.portForward({ name: 'web-0' }, { port: 8080 });
   * const response = await fetch(`http://127.0.0.1:${forward.localPort}/healthz`);
   */
  portForward(key: ObjectKey, options: PortForwardOptions): Promise<PortForward>;
  /**
   * Listens on this machine and forwards each connection to the pod and port that `choose` returns, for example one of a Service's
   * endpoints. If `choose` fails, the connection is closed and `onError` gets the error.
   *
   * @example
   * const pods = ['web-0', 'web-1'];
   * const choose = async () => ({ name: pods[Math.floor(random.next() * pods.length)] ?? '', port: 8080 });
   * await using forward = await client.pods.portForward(choose, { localPort: 8080 });
   */
  portForward(
    choose: (signal: AbortSignal) => Promise<ObjectKey & { readonly port: number }>,
    options?: Omit<PortForwardOptions, 'port'>,
  ): Promise<PortForward>;
  /**
   * Deletes a pod if its disruption budget allows it (policy/v1 `Eviction`), like `kubectl drain`.
   *
   * @example
   * for (;;) {
   *   const result = await client.pods.evict({ name: 'web-0' }, { signal });
   *   if (result.evicted) break;
   *   await sleep(systemClock, { ms: result.retryAfterMs, signal });
   * }
   * @throws StatusError if the pod does not exist (`isNotFound`) or a precondition does not hold (`isConflict`).
   */
  evict(key: ObjectKey, options?: EvictOptions): Promise<EvictionResult>;
}

/**
 * Options for {@link PodsClient.logs}, with the names and meanings of `kubectl logs`.
 *
 * @example
 * ```ts
 * const lastMinutes: PodLogOptions = { container: 'web', sinceSeconds: 300, timestamps: true };
 * const { body } = await client.pods.logs({ namespace: 'shop', name: 'web-0' }, lastMinutes);
 * for await (const chunk of body) process.stdout.write(chunk);
 * ```
 */
export interface PodLogOptions extends CallOptions {
  /** The container to read. @defaultValue the pod's only container, or the container named in its annotation */
  readonly container?: string;
  /** Keeps streaming as the container writes. @defaultValue false */
  readonly follow?: boolean;
  /** Reads the log of the container's previous run. @defaultValue false */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

/** Options for {@link PodsClient.attach}. The signal closes the connection, even after the command has started. */
export interface AttachOptions extends CallOptions {
  /** The container to attach to. @defaultValue the pod's only container, or the container named in its annotation */
  readonly container?: string;
  /**
   * Input for the command: a string, bytes, or a stream of either, which is read no faster than the command reads.
   * @defaultValue none
   */
  readonly stdin?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** Receives standard output. @defaultValue true */
  readonly stdout?: boolean;
  /** Receives standard error; not available with a terminal. @defaultValue true, false with `tty` */
  readonly stderr?: boolean;
  /** Runs the command on a terminal. @defaultValue false */
  readonly tty?: boolean;
  /** With `tty`: sizes of the terminal, initially and after each change. */
  readonly sizes?: AsyncIterable<TerminalSize>;
}

/** Options for {@link PodsClient.exec}. */
export interface ExecOptions extends AttachOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
}

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}
