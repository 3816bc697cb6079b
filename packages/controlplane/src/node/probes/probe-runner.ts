import type { Container, Pod, Probe } from '@kubewright/apimachinery/core/v1';
import type { RunningContainer } from '../driver.ts';

/** Runs a probe once. */
export interface ProbeRunner {
  /** Runs a probe. Never rejects: an error is returned as a failure with its message. */
  run(probe: Probe, target: ProbeTarget): Promise<ProbeResult>;
}

/** Target of a probe. */
export interface ProbeTarget {
  readonly pod: Pod;
  readonly container: Container;
  readonly podIP: string;
  readonly running: RunningContainer;
  readonly kind: ProbeKind;
}

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

/** Result of a probe. `output` is a message for users. */
export interface ProbeResult {
  readonly ok: boolean;
  readonly output: string;
  /** A doubt about a success, reported as an event. */
  readonly warning?: string | undefined;
}
