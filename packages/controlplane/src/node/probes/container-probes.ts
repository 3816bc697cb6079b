import type { Clock, Timer } from '@kubewright/apimachinery';
import type { Probe } from '@kubewright/apimachinery/core/v1';
import type { ProbeKind, ProbeResult, ProbeRunner, ProbeTarget } from './probe-runner.ts';

/** Receives the results of a container's probes. */
export interface ProbeReports {
  /** Called once the startup probe has succeeded; immediately if there is no startup probe. */
  started(): void;
  ready(isReady: boolean): void;
  /** Requests that the container be killed and restarted. */
  unhealthy(kind: ProbeKind, probe: Probe): void;
  /** Called for each failed attempt. */
  failedOnce(kind: ProbeKind, output: string): void;
  /** Called for each success that the runner doubts. */
  warned(kind: ProbeKind, warning: string): void;
}

/** Options for {@link ContainerProbes}. */
export interface ContainerProbesOptions {
  readonly clock: Clock;
  readonly runner: ProbeRunner;
  readonly target: Omit<ProbeTarget, 'kind'>;
  readonly reports: ProbeReports;
}

/**
 * The probes of one attempt of a container. The startup probe delays the other probes. Dispose it when the container
 * ends.
 */
export class ContainerProbes implements Disposable {
  readonly #parts: ContainerProbesOptions;
  readonly #loops: ProbeLoop[] = [];

  constructor(parts: ContainerProbesOptions) {
    this.#parts = parts;
  }

  /** Starts probing. */
  start(): void {
    const { container } = this.#parts.target;
    const { reports } = this.#parts;
    if (!container.startupProbe) {
      this.#started();
      return;
    }
    const { startupProbe } = container;
    const loop = this.#loop('startup', startupProbe, (isUp) => {
      if (isUp) {
        loop[Symbol.dispose]();
        this.#started();
      } else reports.unhealthy('startup', startupProbe);
    });
  }

  [Symbol.dispose](): void {
    for (const loop of this.#loops) loop[Symbol.dispose]();
  }

  #started(): void {
    const { reports } = this.#parts;
    const { livenessProbe, readinessProbe } = this.#parts.target.container;
    reports.started();
    if (readinessProbe) this.#loop('readiness', readinessProbe, (isUp) => reports.ready(isUp));
    else reports.ready(true);
    if (livenessProbe) {
      this.#loop('liveness', livenessProbe, (isUp) => {
        if (!isUp) reports.unhealthy('liveness', livenessProbe);
      });
    }
  }

  #loop(kind: ProbeKind, probe: Probe, decided: (isUp: boolean) => void): ProbeLoop {
    const { clock, runner, target, reports } = this.#parts;
    const delayMs = target.running.startedAtMs + (probe.initialDelaySeconds ?? 0) * 1000 - clock.now();
    const loop = new ProbeLoop({
      clock,
      probe,
      run: () => runner.run(probe, { ...target, kind }),
      failed: (output) => reports.failedOnce(kind, output),
      warned: (warning) => reports.warned(kind, warning),
      decided,
    });
    this.#loops.push(loop);
    loop.start(Math.max(delayMs, 0));
    return loop;
  }
}

interface LoopParts {
  readonly clock: Clock;
  readonly probe: Probe;
  readonly run: () => Promise<ProbeResult>;
  readonly failed: (output: string) => void;
  readonly warned: (warning: string) => void;
  readonly decided: (isUp: boolean) => void;
}

/** Runs a probe periodically. Reports the result once a threshold is reached, and again with each later result. */
class ProbeLoop implements Disposable {
  readonly #parts: LoopParts;
  #timer: Timer | undefined;
  #ended = false;
  #run = { ok: true, length: 0 };

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  start(delayMs: number): void {
    this.#timer = this.#parts.clock.setTimer(delayMs, () => void this.#once());
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#timer?.[Symbol.dispose]();
  }

  async #once(): Promise<void> {
    const { probe, run, failed, warned, decided } = this.#parts;
    // An error of the runner itself counts as a failed attempt.
    const { ok, output, warning } = await run().catch(failure);
    if (this.#ended) return;
    this.start((probe.periodSeconds ?? 10) * 1000);
    if (!ok) failed(output);
    else if (warning !== undefined) warned(warning);
    this.#run = this.#run.ok === ok ? { ok, length: this.#run.length + 1 } : { ok, length: 1 };
    const threshold = ok ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
    // Reports every result past the threshold; the receiver ignores repeats.
    if (this.#run.length >= threshold) decided(ok);
  }
}

function failure(error: unknown): ProbeResult {
  return { ok: false, output: String(error) };
}
