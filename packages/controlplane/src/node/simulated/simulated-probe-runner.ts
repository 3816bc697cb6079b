import type { Clock } from '@kubewright/apimachinery';
import type { Probe } from '@kubewright/apimachinery/core/v1';
import type { ProbeResult, ProbeRunner, ProbeTarget } from '../probes/probe-runner.ts';
import { behaviorOf } from './simulated-behavior.ts';

/** Returns probe results that depend on the pod's annotations and the clock. */
export class SimulatedProbeRunner implements ProbeRunner {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run(_probe: Probe, { pod, container, running }: ProbeTarget): Promise<ProbeResult> {
    const { healthyAfterMs, unhealthyAfterMs } = behaviorOf(pod, { container: container.name });
    const age = this.#clock.now() - running.startedAtMs;
    const ok = age >= healthyAfterMs && age < unhealthyAfterMs;
    return { ok, output: ok ? '' : 'simulated: marked unhealthy by annotation' };
  }
}
