import { findCondition } from '@kubewright/apimachinery';
import type { Lease } from '@kubewright/apimachinery/coordination/v1';
import type { Node, NodeCondition } from '@kubewright/apimachinery/core/v1';

/** A node without a heartbeat or lease renewal for this long counts as unreachable. */
const graceMs = 50_000;
/** The same limit for a node that has never reported its status. */
const startupGraceMs = 60_000;

/** The latest heartbeat and lease renewal of a node. */
export interface NodeHealth {
  /**
   * Monotonic time at which the latest heartbeat or lease renewal was observed. With a monotonic clock, nodes do not
   * become unreachable because the machine was asleep.
   */
  readonly seenMs: number;
  /** The heartbeat time in the node's Ready condition; undefined if the node has no Ready condition. */
  readonly heartbeat: string | undefined;
  readonly renewTime: string | undefined;
}

/** Input for {@link observeHealth}. */
export interface HealthInput {
  readonly lease: Lease | undefined;
  readonly before: NodeHealth | undefined;
  readonly monotonicMs: number;
  /** The time since the node was created. */
  readonly ageMs: number;
}

/** Updates a node's health if its status shows a new heartbeat or its lease was renewed. Mirrors `tryUpdateNodeHealth` (1.36). */
export function observeHealth(node: Node, { lease, before, monotonicMs, ageMs }: HealthInput): NodeHealth {
  const ready = readyOf(node);
  const heartbeat = ready && (ready.lastHeartbeatTime ?? '');
  const renewTime = lease?.spec?.renewTime;
  const isRenewed = renewTime !== undefined && (before?.renewTime === undefined || before.renewTime < renewTime);
  const seenMs =
    isRenewed || (before ? before.heartbeat !== heartbeat : ready)
      ? monotonicMs
      : (before?.seenMs ?? monotonicMs - ageMs);
  return { seenMs, heartbeat, renewTime: isRenewed ? renewTime : before?.renewTime };
}

/** Returns the time until a node counts as unreachable, in milliseconds; 0 or less if it already does. */
export function msUntilUnreachable({ seenMs, heartbeat }: NodeHealth, monotonicMs: number): number {
  return seenMs + (heartbeat === undefined ? startupGraceMs : graceMs) + 1 - monotonicMs;
}

/** Returns the conditions to set on an unreachable node, or undefined if its Ready condition is already Unknown. */
export function unknownConditions({ metadata, status }: Node, now: string): readonly NodeCondition[] | undefined {
  const conditions = [...(status?.conditions ?? [])];
  if (conditions.some(({ type, status: value }) => type === 'Ready' && value === 'Unknown')) return undefined;
  for (const type of ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const) {
    const at = conditions.findIndex((condition) => condition.type === type);
    const present = conditions[at];
    if (!present) {
      conditions.push({
        type,
        status: 'Unknown',
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
        ...(metadata.creationTimestamp && { lastHeartbeatTime: metadata.creationTimestamp }),
        lastTransitionTime: now,
      });
    } else if (present.status !== 'Unknown') {
      const message = 'Kubelet stopped posting node status.';
      conditions[at] = { ...present, status: 'Unknown', reason: 'NodeStatusUnknown', message, lastTransitionTime: now };
    }
  }
  return conditions;
}

/** Returns a node's Ready condition. */
export function readyOf({ status }: Node): NodeCondition | undefined {
  return findCondition(status?.conditions, 'Ready');
}
