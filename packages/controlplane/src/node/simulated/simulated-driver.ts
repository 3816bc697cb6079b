import { type Clock, type Random, sleep, type Timer } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { AddressPool } from '../../network/address-pool.ts';
import type {
  AttachRequest,
  ContainerExit,
  ContainerRequest,
  Driver,
  ExecRequest,
  ExecSession,
  ImageReference,
  PodSandbox,
  PodSandboxRequest,
  PullRequest,
  RunningContainer,
  Usage,
  UsedContainer,
} from '../driver.ts';
import { behaviorOf, type SimulatedBehavior, type SimulatedPod } from './simulated-behavior.ts';

/** Options for {@link SimulatedDriver}. */
export interface SimulatedDriverOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Pod addresses, shared by all nodes of the cluster. */
  readonly addresses: AddressPool;
}

/**
 * Simulates containers without running anything. Their behavior follows their pod's annotations (see {@link behaviorOf}). All
 * times come from the clock, so thousands of pods cost little, and tests control the time.
 */
export class SimulatedDriver implements Driver {
  readonly name = 'simulated';
  readonly startsAtOnce = true;
  readonly ignoresEnvironment = true;
  readonly noTerminals = 'TTY is not supported on this node: its containers are simulated; omit -t';
  readonly #options: SimulatedDriverOptions;
  readonly #pods = new Map<string, { readonly pod: Pod; readonly podIP: string }>();
  readonly #running = new Set<SimulatedContainer>();

  constructor(options: SimulatedDriverOptions) {
    this.#options = options;
  }

  async preparePod({ uid, pod, hostIP }: PodSandboxRequest): Promise<PodSandbox> {
    const known = this.#pods.get(uid);
    if (known) return { podIP: known.podIP };
    const podIP = hostIP ?? this.#options.addresses.take();
    // The agent always passes pods to its driver.
    this.#pods.set(uid, { pod: pod as Pod, podIP });
    return { podIP };
  }

  async removePod(uid: string): Promise<void> {
    // The node's own address is not in the pool, so freeing it changes nothing.
    this.#options.addresses.free(this.#pods.get(uid)?.podIP ?? '');
    this.#pods.delete(uid);
  }

  async pullImage(image: string, { podUid, containerName, isPresent }: PullRequest): Promise<ImageReference> {
    const { clock } = this.#options;
    const pod: SimulatedPod = this.#pods.get(podUid)?.pod ?? { metadata: {} };
    const { pullMs, pullError, pullErrorMs } = behaviorOf(pod, { container: containerName });
    if (!isPresent && pullMs > 0) await sleep(clock, { ms: pullMs });
    const ageMs = clock.now() - Date.parse(pod.metadata.creationTimestamp ?? '');
    if (pullError !== undefined && !(ageMs >= pullErrorMs)) {
      throw Object.assign(new Error(pullError), { reason: 'ErrImagePull' });
    }
    // Tests of controllers use such names for images whose pull must fail.
    if (/(^|[/:])(invalid|missing|nonexistent|doesnotexist)\b/i.test(image)) {
      const reason = 'ErrImagePull';
      throw Object.assign(
        new Error(`failed to pull image "${image}": the simulated driver fails pulls of images with this name`),
        { reason },
      );
    }
    return { image, imageId: `simulated://${image}` };
  }

  async startContainer(request: ContainerRequest): Promise<RunningContainer> {
    const { clock, random } = this.#options;
    const { podUid, containerName: container, attempt } = request;
    const pod: SimulatedPod = this.#pods.get(podUid)?.pod ?? { metadata: {} };
    const behavior = behaviorOf(pod, { container, attempt });
    if (behavior.startMs > 0) await sleep(clock, { ms: behavior.startMs });
    if (behavior.startError !== undefined) throw new Error(behavior.startError);
    const running = new SimulatedContainer({
      clock,
      behavior,
      id: `simulated://${random.uid().replaceAll('-', '')}`,
    });
    this.#running.add(running);
    if (behavior.output !== undefined) request.output.write('stdout', Buffer.from(`${behavior.output}\n`));
    void running.exited.then(() => this.#running.delete(running));
    return running;
  }

  async usages(containers: readonly UsedContainer[]): Promise<ReadonlyMap<string, Usage>> {
    return new Map(
      containers.flatMap(({ pod, name: container, running }) => {
        if (!(running instanceof SimulatedContainer)) return [];
        // The agent always passes pods.
        const { cpuCores, memoryBytes } = behaviorOf(pod as Pod, { container });
        return [[running.containerId, { ...running.used(cpuCores), memoryBytes }]];
      }),
    );
  }

  kill(): void {
    for (const container of this.#running) void container.stop({ graceMs: 0 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((container) => container.stop({ graceMs: 0 })));
    for (const uid of this.#pods.keys()) await this.removePod(uid);
  }
}

class SimulatedContainer implements RunningContainer {
  readonly containerId: string;
  readonly startedAtMs: number;
  readonly exited: Promise<ContainerExit>;
  readonly #clock: Clock;
  readonly #behavior: SimulatedBehavior;
  readonly #end: (exit: ContainerExit) => void;
  readonly #timers: Timer[] = [];
  #usedAtMs: number;
  #cpuSeconds = 0;

  constructor(options: { readonly clock: Clock; readonly behavior: SimulatedBehavior; readonly id: string }) {
    const { clock, behavior, id } = options;
    this.#clock = clock;
    this.#behavior = behavior;
    this.containerId = id;
    this.startedAtMs = clock.now();
    this.#usedAtMs = this.startedAtMs;
    let end: (exit: ContainerExit) => void = () => {};
    this.exited = new Promise((resolve) => {
      end = resolve;
    });
    this.#end = end;
    const { runMs, exitCode } = behavior;
    if (runMs !== undefined) this.#timers.push(clock.setTimer(runMs, () => this.#finish(exitCode)));
  }

  /** Adds processor time for the time since the last call, given the number of cores in use, and returns the total. */
  used(cores: number): Omit<Usage, 'memoryBytes'> {
    const nowMs = this.#clock.now();
    this.#cpuSeconds += (cores * (nowMs - this.#usedAtMs)) / 1_000;
    this.#usedAtMs = nowMs;
    return { atMs: nowMs, cpuSeconds: this.#cpuSeconds };
  }

  async stop({ graceMs }: { readonly graceMs: number }): Promise<ContainerExit> {
    const { stopMs, stopExitCode } = this.#behavior;
    if (graceMs <= 0 || stopMs > graceMs) this.#timers.push(this.#clock.setTimer(graceMs, () => this.#finish(137, 9)));
    else if (stopMs === 0) this.#finish(stopExitCode);
    else this.#timers.push(this.#clock.setTimer(stopMs, () => this.#finish(stopExitCode)));
    return this.exited;
  }

  /** Runs nothing. Every command succeeds, except `false`. */
  async exec({ command }: ExecRequest): Promise<ExecSession> {
    return { exited: Promise.resolve({ exitCode: command[0] === 'false' ? 1 : 0 }) };
  }

  /** Writes nothing and waits until the container ends. */
  async attach({ signal }: AttachRequest): Promise<void> {
    const left = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([this.exited, left]);
  }

  #finish(exitCode: number, signal?: number): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#end({
      exitCode,
      ...defined({ signal }),
      reason: exitCode === 0 ? 'Completed' : 'Error',
      finishedAtMs: this.#clock.now(),
    });
  }
}
