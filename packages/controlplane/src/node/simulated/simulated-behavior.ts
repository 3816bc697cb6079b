import { type ObjectMeta, Quantity } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';

/** Behavior of one attempt of a simulated container. */
export interface SimulatedBehavior {
  /** Duration of the image pull, in milliseconds. */
  readonly pullMs: number;
  /** Message with which the pull fails; `undefined` if it succeeds. */
  readonly pullError: string | undefined;
  readonly pullErrorMs: number;
  /** Time that the container takes to start, in milliseconds. */
  readonly startMs: number;
  /** Error message with which the start fails, if any. */
  readonly startError: string | undefined;
  /** Time after which the container exits on its own, in milliseconds; `undefined` runs until it is stopped. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
  /** Time that the container takes to stop, in milliseconds. */
  readonly stopMs: number;
  readonly stopExitCode: number;
  /** A line that the container prints. */
  readonly output: string | undefined;
  /** Times after the start, in milliseconds: probes succeed from `healthyAfterMs` until `unhealthyAfterMs`. */
  readonly healthyAfterMs: number;
  readonly unhealthyAfterMs: number;
  /** The processor and memory usage. */
  readonly cpuCores: number;
  readonly memoryBytes: number;
}

/** The fields of a pod that determine its containers' behavior. */
export type SimulatedPod = Pick<Pod, 'spec'> & { readonly metadata: ObjectMeta };

const prefix = 'simulated.kubewright.dev/';
/** Default run time of the containers of a Job's pods, in milliseconds. */
const jobMs = 1_000;

/**
 * Returns the behavior of one attempt of a container. It depends only on the pod, in particular on its annotations
 * `simulated.kubewright.dev/<what>` (all containers) and `simulated.kubewright.dev/<what>.<container>` (one container).
 *
 * | what | effect |
 * |---|---|
 * | `pull-seconds` | the image pull takes this long |
 * | `pull-error` | the pull fails with this message, forever or until the pod is `pull-error-seconds` old |
 * | `start-seconds`, `start-error` | the start takes this long; it fails with this message |
 * | `run-seconds`, `exit-code` | the container exits after this time (immediately if only `exit-code` is set), with this code (default 0) |
 * | `failures` | this many attempts exit with `exit-code` (default 1); later attempts exit with 0, or keep running if the container is a server |
 * | `stop-seconds`, `stop-exit-code` | the container takes this long to stop, and exits with this code (default 0) |
 * | `output` | the container prints this line |
 * | `cpu`, `memory` | the container uses this much: `250m`, `64Mi` (default: half of its requests) |
 * | `healthy-after-seconds`, `unhealthy-after-seconds` | probes succeed after the first time, and fail again after the second |
 *
 * Without annotations, init containers exit with 0 immediately, the containers of a Job's pods exit with 0 after one second, and
 * all others, including sidecars, run until they are stopped.
 */
export function behaviorOf(
  pod: SimulatedPod,
  { container, attempt = 0 }: { readonly container: string; readonly attempt?: number },
): SimulatedBehavior {
  const annotations = pod.metadata.annotations ?? {};
  const text = (what: string): string | undefined =>
    annotations[`${prefix}${what}.${container}`] ?? annotations[prefix + what];
  const number = (what: string): number | undefined => {
    const value = text(what);
    return value === undefined || value.trim() === '' || Number.isNaN(Number(value)) ? undefined : Number(value);
  };
  const ms = (what: string): number | undefined => {
    const seconds = number(what);
    return seconds === undefined ? undefined : seconds * 1000;
  };
  const failures = number('failures');
  const isFailing = failures !== undefined && attempt < failures;
  const endsWithin = usualRunMs(pod, container);
  const isEnded = failures === undefined ? number('exit-code') !== undefined : isFailing;
  return {
    pullMs: ms('pull-seconds') ?? 0,
    pullError: text('pull-error'),
    pullErrorMs: ms('pull-error-seconds') ?? Number.POSITIVE_INFINITY,
    startMs: ms('start-seconds') ?? 0,
    startError: text('start-error'),
    runMs:
      failures === undefined || isFailing || endsWithin !== undefined
        ? (ms('run-seconds') ?? (isEnded ? 0 : endsWithin))
        : undefined,
    exitCode: failures === undefined ? (number('exit-code') ?? 0) : isFailing ? (number('exit-code') ?? 1) : 0,
    stopMs: ms('stop-seconds') ?? 0,
    stopExitCode: number('stop-exit-code') ?? 0,
    output: text('output'),
    healthyAfterMs: ms('healthy-after-seconds') ?? 0,
    unhealthyAfterMs: ms('unhealthy-after-seconds') ?? Number.POSITIVE_INFINITY,
    cpuCores: amount(text('cpu')) ?? half(pod, { container, resource: 'cpu' }),
    memoryBytes: amount(text('memory')) ?? half(pod, { container, resource: 'memory' }),
  };
}

/** Parses a quantity; returns undefined if it is missing or invalid. */
function amount(text: string | undefined): number | undefined {
  try {
    return text === undefined ? undefined : Number(Quantity.parse(text).milliValue()) / 1_000;
  } catch {
    // As with the other annotations, an invalid value has no effect.
    return undefined;
  }
}

/** Returns half of the amount that a container requests. */
function half(
  { spec }: SimulatedPod,
  { container, resource }: { readonly container: string; readonly resource: 'cpu' | 'memory' },
): number {
  const all = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const requests = all.find(({ name }) => name === container)?.resources?.requests;
  return (amount(requests?.[resource]?.toString()) ?? 0) / 2;
}

/** Returns the time after which a container ends by default, in milliseconds; `undefined` if it runs until it is stopped. */
function usualRunMs({ metadata, spec }: SimulatedPod, container: string): number | undefined {
  const init = spec?.initContainers?.find(({ name }) => name === container);
  if (init) return init.restartPolicy === 'Always' ? undefined : 0;
  return metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller) ? jobMs : undefined;
}
