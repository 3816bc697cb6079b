import type { Container, Pod } from '@kubewright/apimachinery/core/v1';
import type { RunningContainer } from '../driver.ts';
import { ContainerConfigError } from '../env/container-env.ts';
import type { PodSetup } from './container-request.ts';
import { type ContainerSlot, containerOf } from './container-slot.ts';
import { runHook } from './hook.ts';
import type { PodEvent, PodHost } from './pod-host.ts';

/** Minimum grace period of a container whose preStop hook has used up its time, as in the kubelet. */
export const minGraceMs = 2_000;

/** Options for {@link ContainerTermination}. */
export interface ContainerTerminationOptions {
  readonly host: PodHost;
  readonly slot: ContainerSlot;
  /** Returns the current state of the pod. */
  readonly setup: () => PodSetup;
  /** Called when an attempt is about to be stopped. */
  readonly begun: () => void;
}

/** Stops the running attempt of one container: preStop hook, stop signal, grace period, kill. */
export class ContainerTermination {
  readonly #options: ContainerTerminationOptions;
  #stopping: Promise<void> | undefined;
  /** Aborted when a shortened grace period ends; the container is then killed. */
  #noGrace = new AbortController();
  /** Time at which the grace period ends, by the monotonic clock. */
  #endsAtMs = Number.POSITIVE_INFINITY;
  #shortened: Disposable | undefined;

  constructor(options: ContainerTerminationOptions) {
    this.#options = options;
  }

  /** Stops the running attempt, if there is one. A second call can shorten the grace period; `graceMs: 0` kills immediately. */
  stop(options: { readonly graceMs: number; readonly note: string }): Promise<void> {
    const { state } = this.#options.slot;
    if (state.type !== 'running') return Promise.resolve();
    if (this.#stopping) {
      this.#shorten(options.graceMs);
      return this.#stopping;
    }
    this.#noGrace = new AbortController();
    this.#endsAtMs = this.#options.host.clock.monotonic() + options.graceMs;
    state.stopping = true;
    this.#event({ reason: 'Killing', note: options.note });
    this.#stopping = this.#stop(state.running, options.graceMs).finally(() => {
      this.#stopping = undefined;
      this.#shortened?.[Symbol.dispose]();
    });
    return this.#stopping;
  }

  #shorten(graceMs: number): void {
    const { clock } = this.#options.host;
    const endsAtMs = clock.monotonic() + graceMs;
    if (endsAtMs >= this.#endsAtMs) return;
    this.#endsAtMs = endsAtMs;
    this.#shortened?.[Symbol.dispose]();
    if (graceMs <= 0) this.#noGrace.abort();
    else this.#shortened = clock.setTimer(graceMs, () => this.#noGrace.abort());
  }

  async #stop(running: RunningContainer, graceMs: number): Promise<void> {
    const { host } = this.#options;
    const begun = host.clock.monotonic();
    const hook = this.#container().lifecycle?.preStop;
    this.#options.begun();
    if (hook && graceMs > 0) await this.#preStop(running, graceMs);
    const left = graceMs - (host.clock.monotonic() - begun);
    const minMs = hook && graceMs > 0 ? minGraceMs : 0;
    const grace = this.#noGrace.signal.aborted ? 0 : Math.max(left, minMs);
    const kill = (): void => void running.stop({ graceMs: 0 });
    this.#noGrace.signal.addEventListener('abort', kill, { once: true });
    await running.stop({ graceMs: grace });
    this.#noGrace.signal.removeEventListener('abort', kill);
  }

  /** Runs the hook for at most the grace period. If the hook fails, only an event is recorded. */
  async #preStop(running: RunningContainer, graceMs: number): Promise<void> {
    const { host } = this.#options;
    const { pod, podIP } = this.#options.setup();
    const container = this.#container();
    const over = new AbortController();
    const timer = host.clock.setTimer(graceMs, () => over.abort());
    const cut = (): void => over.abort();
    this.#noGrace.signal.addEventListener('abort', cut, { once: true });
    void running.exited.then(cut);
    try {
      const hook = container.lifecycle?.preStop;
      const timedOut = new Promise<void>((resolve) =>
        over.signal.addEventListener('abort', () => resolve(), { once: true }),
      );
      const target = { pod, container, podIP, running };
      if (hook) await Promise.race([runHook(hook, { host, target, signal: over.signal }), timedOut]);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (!over.signal.aborted) {
        this.#event({ type: 'Warning', reason: 'FailedPreStopHook', note: `PreStopHook failed: ${text}` });
      }
    } finally {
      timer[Symbol.dispose]();
      this.#noGrace.signal.removeEventListener('abort', cut);
    }
  }

  #container(): Container {
    return existingContainer(this.#options.setup().pod, this.#options.slot.name);
  }

  #event(event: PodEvent): void {
    this.#options.host.event(this.#options.setup().pod, event);
  }
}

/**
 * Returns a container of a pod.
 *
 * @throws ContainerConfigError if the pod does not have it.
 */
export function existingContainer(pod: Pod, name: string): Container {
  const container = containerOf(pod, name);
  if (!container) throw new ContainerConfigError({ what: `pod ${pod.metadata.name} has no container "${name}"` });
  return container;
}
