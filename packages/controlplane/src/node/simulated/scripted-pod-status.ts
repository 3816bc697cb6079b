import { createHash } from 'node:crypto';
import type { ContainerStateTerminated, Pod, PodStatus } from '@kubewright/apimachinery/core/v1';
import { defined, formatTime } from '@kubewright/apimachinery/internal';
import type { RunningContainer } from '../driver.ts';
import { planContainers } from '../pod/container-plan.ts';
import { type ContainerSlot, slotsOf } from '../pod/container-slot.ts';
import { podStatusOf } from '../pod/pod-status.ts';
import { shouldRestart } from '../pod/restart-rule.ts';

/** A change of a container's state: it runs, exits or waits. */
export type ContainerScript =
  | { readonly does: 'run' }
  | { readonly does: 'exit'; readonly exitCode: number; readonly message?: string | undefined }
  | { readonly does: 'wait'; readonly reason: string; readonly message: string };

/** The pod's node and address, and the current time. */
export interface PodPlace {
  readonly hostIP: string;
  readonly podIP: string;
  readonly nowMs: number;
}

/** The kubelet's limits. */
const limits = { initialMs: 10_000, maxMs: 300_000 };

/**
 * Returns the status that a kubelet writes after its pod's main containers have changed as scripted. Containers without a script
 * keep their state. All init containers have succeeded, and all sidecars run.
 */
export function scriptedPodStatus(
  pod: Pod,
  { scripts, hostIP, podIP, nowMs }: PodPlace & { readonly scripts: ReadonlyMap<string, ContainerScript> },
): PodStatus {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const before = new Map([...initContainerStatuses, ...containerStatuses].map((status) => [status.name, status]));
  const slots = slotsOf(pod, { limits, nowMs });
  for (const slot of slots) {
    const wasRunning = before.get(slot.name)?.state?.running;
    const actor = { slot, pod, nowMs, runsSince: wasRunning?.startedAt };
    if (slot.role === 'init') succeed(actor);
    else if (slot.role === 'sidecar') run(actor);
    else if (slot.role === 'main') play(actor, scripts.get(slot.name));
    slot.image ??= { image: slot.name, imageId: `sha256:${digest(slot.name)}` };
    if (slot.attempts > 0)
      slot.containerId = `containerd://${digest(`${pod.metadata.uid}/${slot.name}/${slot.attempts}`)}`;
  }
  const plan = planContainers(pod, slots, nowMs);
  const state = plan.finished
    ? ({ type: 'terminated', ending: { type: 'finished' } } as const)
    : ({ type: 'syncing' } as const);
  return podStatusOf({ pod, slots, plan, podIP, hostIP, startTimeMs: nowMs, state, nowMs }, pod.status);
}

interface Actor {
  readonly slot: ContainerSlot;
  readonly pod: Pod;
  readonly nowMs: number;
  /** Start time of the running container. */
  readonly runsSince: string | undefined;
}

function play(actor: Actor, script: ContainerScript | undefined): void {
  const { slot, runsSince } = actor;
  if (script?.does === 'run') run(actor);
  else if (script?.does === 'exit') exit(actor, script);
  else if (script?.does === 'wait') {
    slot.state = { type: 'waiting', reason: script.reason, message: script.message };
    slot.retryAtMs = actor.nowMs + limits.initialMs;
  } else if (runsSince !== undefined) run(actor);
}

function run({ slot, runsSince, nowMs }: Actor): void {
  if (runsSince === undefined) slot.attempts++;
  else if (slot.state.type === 'exited') slot.last = slot.attempts > 1 ? slot.last : undefined;
  const startedAtMs = runsSince === undefined ? nowMs : Date.parse(runsSince);
  // A status needs no other data of a running container.
  slot.state = { type: 'running', running: { startedAtMs } as RunningContainer, stopping: false };
  slot.started = true;
  slot.probedReady = true;
}

/** Marks an init container as succeeded, unless it has already succeeded. */
function succeed(actor: Actor): void {
  const { slot } = actor;
  if (slot.state.type === 'exited' && slot.state.terminated.exitCode === 0) slot.last = undefined;
  else exit(actor, { exitCode: 0 });
}

/**
 * Marks a container as exited. A container that must be restarted counts as having exited once more, because a kubelet
 * starts to back off at the second exit.
 */
function exit(
  { slot, pod, nowMs, runsSince }: Actor,
  { exitCode, message }: { readonly exitCode: number; readonly message?: string | undefined },
): void {
  if (runsSince === undefined && slot.role !== 'init') slot.attempts++;
  if (slot.role === 'init') slot.attempts = Math.max(slot.attempts, 1);
  const terminated: ContainerStateTerminated = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : exitCode === 137 ? 'OOMKilled' : 'Error',
    ...defined({ message }),
    startedAt: runsSince ?? formatTime(nowMs),
    finishedAt: formatTime(nowMs),
  };
  slot.state = { type: 'exited', terminated, atMs: nowMs };
  slot.last = undefined;
  if (!shouldRestart(pod, slot, terminated)) return;
  slot.attempts++;
  for (let restart = 1; restart < slot.attempts; restart++) slot.restarts.next(nowMs, nowMs);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
