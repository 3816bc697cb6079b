import type { Clock } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type {
  AttachRequest,
  ContainerExit,
  ContainerRequest,
  ExecRequest,
  ExecSession,
  RunningContainer,
} from '../driver.ts';
import type { ContainerNetwork, InProcessNetwork } from './in-process-network.ts';
import type { ContainerFiles, MemoryFiles } from './memory-files.ts';
import { OpenResources } from './open-resources.ts';

/**
 * The argument of a container's function. Once the container has ended, its timers no longer fire, and its listeners and
 * connections are closed.
 */
export interface ContainerContext {
  /** The pod's `command` and `args`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly podIP: string;
  readonly clock: Clock;
  readonly network: ContainerNetwork;
  readonly files: ContainerFiles;
  /** Writes a line to the container's log. */
  readonly print: (line: string) => void;
  /** Aborted by the stop signal. A function that has not returned by the end of the grace period counts as killed. */
  readonly signal: AbortSignal;
}

/**
 * Runs a container and returns its exit code; `undefined` means 0. If the function throws, the error is logged and the
 * exit code is 1.
 */
export type ContainerFunction = (container: ContainerContext) => Promise<number | undefined> | Promise<void>;

/** Options for {@link FunctionContainer}. */
export interface FunctionContainerOptions {
  readonly id: string;
  readonly run: ContainerFunction;
  readonly request: ContainerRequest;
  readonly clock: Clock;
  readonly network: InProcessNetwork;
  readonly files: MemoryFiles;
}

/** A container that runs a function in this process. */
export class FunctionContainer implements RunningContainer {
  readonly containerId: string;
  readonly startedAtMs: number;
  readonly exited: Promise<ContainerExit>;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #open = new OpenResources();
  readonly #attached = new Set<AttachRequest>();
  readonly #write: (stream: 'stdout' | 'stderr', text: string) => void;
  #end: (exit: ContainerExit) => void = () => undefined;

  constructor({ id, run, request, clock, network, files }: FunctionContainerOptions) {
    this.containerId = id;
    this.startedAtMs = clock.now();
    this.#clock = clock;
    this.#write = (stream, text) => {
      const bytes = Buffer.from(text);
      request.output.write(stream, bytes);
      for (const client of this.#attached) void client[stream](bytes);
    };
    this.exited = new Promise((resolve) => {
      this.#end = resolve;
    });
    const { podUid, containerName, attempt, mounts, podIP } = request;
    const context: ContainerContext = {
      args: [...(request.command ?? []), ...(request.args ?? [])],
      env: { HOSTNAME: request.podName, ...Object.fromEntries(request.env) },
      podIP,
      clock: this.#containerClock(clock),
      network: network.of(podIP, this.#open),
      // Each attempt starts without the files of earlier attempts.
      files: files.of(mounts, `/pods/${podUid}/containers/${containerName}/${attempt}`),
      print: (line) => this.#write('stdout', `${line}\n`),
      signal: this.#stop.signal,
    };
    void Promise.resolve()
      .then(async () => {
        const exitCode: unknown = await run(context);
        return typeof exitCode === 'number' ? exitCode : 0;
      })
      .then(
        (exitCode) => this.#finish(exitCode),
        (error: unknown) => this.#failed(error),
      );
  }

  async stop({ graceMs }: { readonly graceMs: number }): Promise<ContainerExit> {
    this.#stop.abort();
    if (graceMs <= 0) this.#finish(137, 9);
    else this.#open.add(this.#clock.setTimer(graceMs, () => this.#finish(137, 9)));
    return this.exited;
  }

  /** Always fails: a function cannot run other programs. */
  async exec({ stderr, command }: ExecRequest): Promise<ExecSession> {
    await stderr(Buffer.from(`exec failed: "${command[0]}": containers of the inproc driver cannot run commands\n`));
    return { exited: Promise.resolve({ exitCode: 126 }) };
  }

  async attach(request: AttachRequest): Promise<void> {
    this.#attached.add(request);
    const left = new Promise<void>((resolve) => {
      if (request.signal.aborted) resolve();
      request.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([this.exited, left]);
    this.#attached.delete(request);
  }

  #containerClock(clock: Clock): Clock {
    const open = this.#open;
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimer: (delayMs, callback, options) => {
        const fire = (): void => {
          open.delete(timer);
          callback();
        };
        const timer = clock.setTimer(delayMs, fire, options);
        open.add(timer);
        return timer;
      },
    };
  }

  #failed(error: unknown): void {
    // If the stop signal interrupted a wait, the function may rethrow the signal's reason. That is not an error.
    const isStopped = this.#stop.signal.aborted && error === this.#stop.signal.reason;
    if (!isStopped) {
      this.#write('stderr', `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    }
    this.#finish(isStopped ? 143 : 1);
  }

  #finish(exitCode: number, signal?: number): void {
    this.#open[Symbol.dispose]();
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    this.#end({ exitCode, ...defined({ signal }), reason, finishedAtMs: this.#clock.now() });
  }
}
