import type { Container, ContainerStateTerminated, Probe } from '@kubewright/apimachinery/core/v1';
import { defined, formatTime } from '@kubewright/apimachinery/internal';
import type { ContainerExit, RunningContainer } from '../driver.ts';
import { ContainerConfigError } from '../env/container-env.ts';
import type { LogWriter } from '../logs/log-store.ts';
import { ContainerProbes } from '../probes/container-probes.ts';
import type { ProbeKind } from '../probes/probe-runner.ts';
import { VolumeError } from '../volumes/pod-volumes.ts';
import { containerRequest, type PodSetup, userRequest } from './container-request.ts';
import { type ContainerSlot, containerOf } from './container-slot.ts';
import { ContainerTermination, existingContainer, minGraceMs } from './container-termination.ts';
import { runHook } from './hook.ts';
import { ContainerWaitError, pullImage } from './image-pull.ts';
import type { PodEvent, PodHost } from './pod-host.ts';
import { TerminationMessage } from './termination-message.ts';

/** Delay before a container with an invalid configuration is retried, in milliseconds. */
const configRetryMs = 5_000;

/** Options for {@link ContainerRunner}. */
export interface ContainerRunnerOptions {
  readonly host: PodHost;
  readonly slot: ContainerSlot;
  /** Returns the current state of the pod. */
  readonly setup: () => PodSetup;
  /** Called when something about the container has changed. */
  readonly changed: () => void;
}

/** Runs the attempts of one container and records their results in its slot. Makes no decisions. */
export class ContainerRunner {
  readonly #options: ContainerRunnerOptions;
  readonly #termination: ContainerTermination;
  #probes: ContainerProbes | undefined;
  #starting: Promise<void> | undefined;
  /** True once the attempt has created the container. Later errors count as a failed start. */
  #isCreated = false;

  constructor(options: ContainerRunnerOptions) {
    this.#options = options;
    const { host, slot, setup } = options;
    this.#termination = new ContainerTermination({
      host,
      slot,
      setup,
      begun: () => this.#probes?.[Symbol.dispose](),
    });
  }

  /** Starts the next attempt in the background. */
  start(): void {
    const { slot, host, changed } = this.#options;
    const before = slot.state;
    if (before.type === 'exited') {
      slot.restarts.next(host.clock.now(), before.atMs);
      slot.last = before.terminated;
    }
    slot.state = before.type === 'waiting' && slot.retryAtMs !== undefined ? before : { type: 'starting' };
    slot.busy = true;
    slot.started = false;
    slot.probedReady = false;
    this.#starting = this.#start()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        slot.busy = false;
        changed();
      });
  }

  /** Stops the running attempt, and an attempt that is about to start. The preStop hook and the container share `withinMs`. */
  async shutDown(withinMs: number): Promise<void> {
    const note = `Stopping container ${this.#options.slot.name}`;
    const hasHook = containerOf(this.#options.setup().pod, this.#options.slot.name)?.lifecycle?.preStop !== undefined;
    const graceMs = hasHook ? Math.max(withinMs - minGraceMs, 0) : withinMs;
    await this.stop({ graceMs, note });
    await this.#starting;
    await this.stop({ graceMs, note });
  }

  /**
   * Stops the running attempt: preStop hook, stop signal, grace period, kill. A second call can shorten the grace period.
   */
  stop(options: { readonly graceMs: number; readonly note: string }): Promise<void> {
    return this.#termination.stop(options);
  }

  async #start(): Promise<void> {
    const { host, slot } = this.#options;
    const { pod, folder } = this.#options.setup();
    const container = this.#container();
    this.#isCreated = false;
    const podUid = pod.metadata.uid ?? '';
    const image = await pullImage(container, { pod, slot, host, event: (event) => this.#event(event) });
    const attempt = slot.attempts;
    const key = { podUid, container: slot.name, attempt };
    const message = TerminationMessage.in(folder, container);
    let early: LogWriter | undefined;
    const output = {
      write: (stream: 'stdout' | 'stderr', chunk: Uint8Array): void => {
        early ??= host.logs.open(key, folder);
        early.write(stream, chunk);
      },
    };
    const request = await containerRequest(container, {
      setup: this.#options.setup(),
      host,
      image,
      attempt,
      output,
      extraMounts: message.mounts(await host.driver.userOf?.(userRequest(pod, container))),
    });
    const log = host.logs.open(key, folder);
    early = log;
    this.#isCreated = true;
    this.#event({ reason: 'Created', note: `Container created` });
    slot.attempts = attempt + 1;
    slot.retryAtMs = undefined;
    slot.image = image;
    let running: RunningContainer;
    try {
      running = await host.driver.startContainer(request);
    } catch (error) {
      log.close();
      throw error;
    }
    slot.containerId = running.containerId;
    slot.state = { type: 'running', running, stopping: false };
    this.#event({ reason: 'Started', note: `Container started` });
    void running.exited.then((exit) => this.#exited(running, { exit, log, message }));
    this.#options.changed();
    await this.#afterStart(container, running);
  }

  async #afterStart(container: Container, running: RunningContainer): Promise<void> {
    const { host, slot, changed } = this.#options;
    const target = { pod: this.#options.setup().pod, container, podIP: this.#options.setup().podIP, running };
    const hook = container.lifecycle?.postStart;
    if (hook) {
      const ended = new AbortController();
      void running.exited.then(() => ended.abort());
      try {
        await runHook(hook, { host, target, signal: ended.signal });
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        this.#event({ type: 'Warning', reason: 'FailedPostStartHook', note: `PostStartHook failed: ${text}` });
        await this.stop({ graceMs: this.#podGraceMs(), note: 'FailedPostStartHook' });
        return;
      }
    }
    if (slot.state.type !== 'running' || slot.state.running !== running) return;
    this.#probes = new ContainerProbes({
      clock: host.clock,
      runner: host.probes,
      target,
      reports: {
        started: () => {
          slot.started = true;
          changed();
        },
        ready: (isReady) => {
          if (slot.probedReady === isReady) return;
          slot.probedReady = isReady;
          changed();
        },
        unhealthy: (kind, probe) => this.#unhealthy(kind, probe),
        failedOnce: (kind, text) =>
          this.#event({ type: 'Warning', reason: 'Unhealthy', note: `${titleOf(kind)} probe failed: ${text}` }),
        warned: (kind, text) =>
          this.#event({ type: 'Warning', reason: 'ProbeWarning', note: `${titleOf(kind)} probe warning: ${text}` }),
      },
    });
    this.#probes.start();
  }

  #unhealthy(kind: ProbeKind, probe: Probe): void {
    const { slot } = this.#options;
    if (slot.state.type !== 'running' || slot.state.stopping) return;
    const graceMs =
      probe.terminationGracePeriodSeconds === undefined
        ? this.#podGraceMs()
        : Number(probe.terminationGracePeriodSeconds) * 1000;
    void this.stop({ graceMs, note: `Container ${slot.name} failed ${kind} probe, will be restarted` });
    this.#options.changed();
  }

  #exited(
    running: RunningContainer,
    parts: { readonly exit: ContainerExit; readonly log: LogWriter; readonly message: TerminationMessage },
  ): void {
    const { slot, changed } = this.#options;
    const { exit, log, message } = parts;
    this.#probes?.[Symbol.dispose]();
    log.close();
    const { podUid, attempt } = { podUid: this.#options.setup().pod.metadata.uid ?? '', attempt: slot.attempts - 1 };
    const found = this.#options.host.logs.find({ podUid, container: slot.name, attempt });
    const text = this.#messageOf(message, { exitCode: exit.exitCode, log: found }) ?? exit.message;
    slot.started = false;
    slot.probedReady = false;
    slot.state = { type: 'exited', terminated: terminatedOf(running, exit, text), atMs: exit.finishedAtMs };
    changed();
  }

  #messageOf(message: TerminationMessage, options: Parameters<TerminationMessage['read']>[0]): string | undefined {
    try {
      return message.read(options);
    } catch (error) {
      // The disk with the log failed, but the container has still ended.
      this.#options.host.noteFault(error);
      return undefined;
    }
  }

  #failed(error: unknown): void {
    const { slot, host } = this.#options;
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof ContainerWaitError) {
      slot.state = { type: 'waiting', reason: error.reason, message: text };
      slot.retryAtMs = error.retryAtMs;
      return;
    }
    host.noteFault(error);
    this.#event({ type: 'Warning', reason: 'Failed', note: `Error: ${text}` });
    const isConfig = isConfiguration(error);
    if (isConfig || !this.#isCreated) {
      const reason = isConfig ? 'CreateContainerConfigError' : 'CreateContainerError';
      slot.state = { type: 'waiting', reason, message: text };
      slot.retryAtMs = host.clock.now() + configRetryMs;
      return;
    }
    const at = host.clock.now();
    const terminated = {
      exitCode: 128,
      reason: 'StartError',
      message: text,
      startedAt: formatTime(0),
      finishedAt: formatTime(at),
    };
    slot.state = { type: 'exited', terminated, atMs: at };
  }

  #container(): Container {
    return existingContainer(this.#options.setup().pod, this.#options.slot.name);
  }

  #podGraceMs(): number {
    return Number(this.#options.setup().pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
  }

  #event(event: PodEvent): void {
    this.#options.host.event(this.#options.setup().pod, event);
  }
}

function isConfiguration(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  // KW5202: the driver refuses to run the container as requested.
  return error instanceof ContainerConfigError || error instanceof VolumeError || code === 'KW5202';
}

function terminatedOf(
  running: RunningContainer,
  exit: ContainerExit,
  message: string | undefined,
): ContainerStateTerminated {
  return {
    exitCode: exit.exitCode,
    ...defined({ signal: exit.signal }),
    reason: exit.reason,
    ...(message && { message }),
    startedAt: formatTime(running.startedAtMs),
    finishedAt: formatTime(exit.finishedAtMs),
    containerID: running.containerId,
  };
}

/** Capitalizes the kind of a probe for the start of a sentence. */
function titleOf(kind: ProbeKind): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}
