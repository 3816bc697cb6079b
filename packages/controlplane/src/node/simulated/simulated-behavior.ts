/** Behavior of a simulated container. */
export interface SimulatedBehavior {
  /** Exits on its own after this time, in milliseconds; `undefined` runs until it is stopped. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
  /** Time it takes to stop, in milliseconds. */
  readonly stopMs: number;
  readonly stopExitCode: number;
  /** Error message with which the start fails, if any. */
  readonly startError: string | undefined;
  /** A line that it prints. */
  readonly output: string | undefined;
  /** Probes fail until this long after the start, and again once `unhealthyAfterMs` has passed, in milliseconds. */
  readonly healthyAfterMs: number;
  readonly unhealthyAfterMs: number;
}

const prefix = 'simulated.kubewright.dev/';

/**
 * Reads a container's behavior from its pod's annotations `simulated.kubewright.dev/<what>` (all containers) and
 * `simulated.kubewright.dev/<what>.<container>` (one container): `run-seconds`, `exit-code`, `stop-seconds`, `stop-exit-code`,
 * `start-error`, `output`, `healthy-after-seconds`, `unhealthy-after-seconds`. With only an `exit-code`, the container exits
 * immediately.
 */
export function behaviorOf(annotations: Readonly<Record<string, string>>, container: string): SimulatedBehavior {
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
