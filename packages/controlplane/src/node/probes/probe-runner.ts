import type { Container, Pod, Probe } from '@kubewright/apimachinery/core/v1';
import type { RunningContainer } from '../driver.ts';

/** Asks one question of a container once. */
export interface ProbeRunner {
  /** Never rejects: what goes wrong is a failure with its text. */
  run(probe: Probe, target: ProbeTarget): Promise<ProbeResult>;
}

/** Whom a probe asks. */
export interface ProbeTarget {
  readonly pod: Pod;
  readonly container: Container;
  readonly podIP: string;
  readonly running: RunningContainer;
  readonly kind: ProbeKind;
}

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

/** What a probe found; `output` is for people. */
export interface ProbeResult {
  readonly ok: boolean;
  readonly output: string;
}
