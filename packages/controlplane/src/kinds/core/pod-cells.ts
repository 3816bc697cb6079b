import { ageOf } from '@kubewright/apiserver/internal';
import type { ContainerStatus, Pod } from '../generated/drafts.ts';
import { orNone } from '../table/cell-text.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';

/** A summary of a pod's containers for its row. */
interface PodSummary {
  reason: string;
  ready: number;
  total: number;
  restarts: number;
  lastRestart: string;
}

/** Table row of a pod: `web-0  1/1  Running  2 (3m ago)  5d …`. */
export const podCells: CellsEntry = cellsOf<Pod>('/v1/pods', (pod, nowMs) => {
  const { metadata, spec, status } = pod;
  const summary = summaryOf(pod);
  const { restarts, lastRestart } = summary;
  return [
    metadata.name,
    `${summary.ready}/${summary.total}`,
    summary.reason,
    restarts > 0 && lastRestart !== '' ? `${restarts} (${ageOf(lastRestart, nowMs)} ago)` : String(restarts),
    ageOf(metadata.creationTimestamp, nowMs),
    orNone(status.podIPs?.[0]?.ip ?? status.podIP),
    orNone(spec.nodeName),
    orNone(status.nominatedNodeName),
    readinessGates(pod),
  ];
});

function summaryOf(pod: Pod): PodSummary {
  const { spec, status, metadata } = pod;
  const gated = (status.conditions ?? []).some((c) => c.type === 'PodScheduled' && c.reason === 'SchedulingGated');
  const summary: PodSummary = {
    reason: gated ? 'SchedulingGated' : status.reason || status.phase || '',
    ready: 0,
    total: (spec.containers ?? []).length + sidecarNames(pod).size,
    restarts: 0,
    lastRestart: '',
  };
  const initializing = addInitContainers(summary, pod);
  if (!initializing || hasCondition(pod, 'Initialized')) addContainers(summary, pod);
  if (metadata.deletionTimestamp) {
    if (status.reason === 'NodeLost') summary.reason = 'Unknown';
    else if (status.phase !== 'Succeeded' && status.phase !== 'Failed') summary.reason = 'Terminating';
  }
  return summary;
}

function sidecarNames({ spec }: Pod): ReadonlySet<string> {
  return new Set((spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map(({ name }) => name));
}

/** Adds the init containers to the summary. Returns true while they are running; the summary's reason then shows their progress. */
function addInitContainers(summary: PodSummary, pod: Pod): boolean {
  const sidecars = sidecarNames(pod);
  const total = (pod.spec.initContainers ?? []).length;
  for (const [index, container] of (pod.status.initContainerStatuses ?? []).entries()) {
    addRestarts(summary, container);
    if (container.state.terminated?.exitCode === 0) continue;
    if (sidecars.has(container.name) && container.started) {
      if (container.ready) summary.ready++;
      continue;
    }
    summary.reason = `Init:${initReason(container) ?? `${index}/${total}`}`;
    return true;
  }
  return false;
}

function initReason({ state }: ContainerStatus): string | undefined {
  if (state.terminated) return terminationReason(state.terminated);
  const waiting = state.waiting?.reason;
  return waiting && waiting !== 'PodInitializing' ? waiting : undefined;
}

function addContainers(summary: PodSummary, pod: Pod): void {
  // Once the pod runs, restarts of regular init containers no longer count, but those of sidecars do.
  const sidecars = sidecarNames(pod);
  summary.restarts = 0;
  summary.lastRestart = '';
  for (const container of pod.status.initContainerStatuses ?? []) {
    if (sidecars.has(container.name)) addRestarts(summary, container);
  }
  let running = false;
  let failure = '';
  for (const container of [...(pod.status.containerStatuses ?? [])].reverse()) {
    addRestarts(summary, container);
    const { waiting, terminated } = container.state;
    if (waiting?.reason) summary.reason = waiting.reason;
    else if (terminated) {
      summary.reason = terminationReason(terminated);
      if (terminated.exitCode !== 0) failure = summary.reason;
    } else if (container.ready && container.state.running) {
      running = true;
      summary.ready++;
    }
  }
  if (summary.reason !== 'Completed') return;
  if (running && hasCondition(pod, 'Ready')) summary.reason = 'Running';
  else if (failure !== '') summary.reason = failure;
  else if (running) summary.reason = 'NotReady';
}

function addRestarts(summary: PodSummary, container: ContainerStatus): void {
  summary.restarts += container.restartCount;
  const finished = container.lastState.terminated?.finishedAt ?? '';
  if (finished > summary.lastRestart) summary.lastRestart = finished;
}

function terminationReason(state: {
  reason?: string | undefined;
  signal?: number | undefined;
  exitCode: number;
}): string {
  if (state.reason) return state.reason;
  return state.signal ? `Signal:${state.signal}` : `ExitCode:${state.exitCode}`;
}

function hasCondition({ status }: Pod, type: string): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

function readinessGates(pod: Pod): string {
  const gates = pod.spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  return `${gates.filter(({ conditionType }) => hasCondition(pod, conditionType)).length}/${gates.length}`;
}
