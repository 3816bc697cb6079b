/** How a simulated container behaves. */
export interface SimulatedBehaviour {
  /** Ends by itself after this time, in milliseconds; `undefined` runs until it is stopped. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
  /** How long it takes to stop once asked to, in milliseconds. */
  readonly stopMs: number;
  readonly stopExitCode: number;
  /** It does not start, with this message. */
  readonly startError: string | undefined;
  /** One line that it prints. */
  readonly output: string | undefined;
  /** Probes fail until this long after the start, in milliseconds, and from then on if `unhealthyAfterMs` has passed. */
  readonly healthyAfterMs: number;
  readonly unhealthyAfterMs: number;
}

const prefix = 'simulated.kubewright.dev/';

/**
 * Reads a container's behaviour from its pod's annotations `simulated.kubewright.dev/<what>` (all containers) and
 * `simulated.kubewright.dev/<what>.<container>` (one): `run-seconds`, `exit-code`, `stop-seconds`, `stop-exit-code`,
 * `start-error`, `output`, `healthy-after-seconds`, `unhealthy-after-seconds`. An `exit-code` alone ends the container at once.
 */
export function behaviourOf(annotations: Readonly<Record<string, string>>, container: string): SimulatedBehaviour {
  const text = (what: string): string | undefined =>
    annotations[`${prefix}${what}.${container}`] ?? annotations[prefix + what];
  const ms = (what: string): number | undefined => {
    const value = text(what);
    return value === undefined || Number.isNaN(Number(value)) ? undefined : Number(value) * 1000;
  };
  const exitCode = text('exit-code');
  return {
    runMs: ms('run-seconds') ?? (exitCode === undefined ? undefined : 0),
    exitCode: Number(exitCode ?? 0),
    stopMs: ms('stop-seconds') ?? 0,
    stopExitCode: Number(text('stop-exit-code') ?? 0),
    startError: text('start-error'),
    output: text('output'),
    healthyAfterMs: ms('healthy-after-seconds') ?? 0,
    unhealthyAfterMs: ms('unhealthy-after-seconds') ?? Number.POSITIVE_INFINITY,
  };
}
