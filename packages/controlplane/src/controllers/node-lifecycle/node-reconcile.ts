import { isNotFound, type Stored } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Node, Pod, type Taint } from '@kubewright/apimachinery/core/v1';
import { defined, formatTime } from '@kubewright/apimachinery/internal';
import type { ReconcileOutcome, ReconcileRequest, RequestContext } from '@kubewright/runtime';
import type { CoreEventRecorder } from '../core-event-recorder.ts';
import type { PodsByNode } from '../nodes/pods-by-node.ts';
import { patchObject, patchStatus } from '../object-writes.ts';
import { msUntilUnreachable, type NodeHealth, observeHealth, readyOf, unknownConditions } from './node-health.ts';
import { missingLabels } from './node-labels.ts';
import { isEvicting, notReady, taintsOf, unreachable, withEviction } from './node-taints.ts';
import type { RateChange, Zones } from './zones.ts';

/**
 * The delay before a failed node's pods are evicted, in milliseconds. If a whole zone is failing, this delay is long
 * enough to detect that the zone's other nodes have failed too.
 */
const zoneCheckMs = 5_000;

export const leaseNamespace = 'kube-node-lease';

/** The controller's in-memory state of a node. */
export interface KnownNode {
  readonly uid: string | undefined;
  health: NodeHealth;
  /** True if the node stopped reporting and its pods still have to be marked as not ready. */
  marksPods: boolean;
  /** Monotonic time at which the node became not ready; undefined while the node is ready. */
  unreadySinceMs: number | undefined;
}

/** The state of the node lifecycle controller. */
export interface LifecycleState {
  readonly nodes: Map<string, KnownNode>;
  readonly pods: PodsByNode;
  readonly zones: Zones;
  readonly events: CoreEventRecorder;
  /** Enqueues all nodes. Called when the eviction rate has changed. */
  readonly enqueueAll: () => void;
}

/** One reconcile of a node. */
export class NodeReconcile {
  readonly #state: LifecycleState;
  readonly #ctx: RequestContext;

  constructor(state: LifecycleState, ctx: RequestContext) {
    this.#state = state;
    this.#ctx = ctx;
  }

  async run({ name }: ReconcileRequest): Promise<ReconcileOutcome> {
    const ctx = this.#ctx;
    const node = ctx.cache.lister(Node).get({ name });
    if (!node) return this.#forget(name);
    const known = this.#observe(node);
    const leftMs = msUntilUnreachable(known.health, ctx.clock.monotonic());
    const current = leftMs > 0 ? node : await this.#markUnreachable(node, known);
    const ready = readyOf(current);
    this.#noteRate(this.#state.zones.note(current, ready?.status === 'True'));
    known.unreadySinceMs = ready?.status === 'True' ? undefined : (known.unreadySinceMs ?? ctx.clock.monotonic());
    if (known.marksPods) await this.#markPods(known, name);
    const waitMs = await this.#updateMetadata(current, known);
    const waits = [leftMs, waitMs ?? 0].filter((ms) => ms > 0);
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
  }

  #forget(name: string): undefined {
    const { nodes, zones } = this.#state;
    const known = nodes.get(name);
    if (!known) return;
    nodes.delete(name);
    this.#noteRate(zones.forget(name));
    this.#note({ name, uid: known.uid }, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
  }

  #observe(node: Stored<Node>): KnownNode {
    const { nodes } = this.#state;
    const { name, uid, creationTimestamp } = node.metadata;
    const before = nodes.get(name);
    const lease = this.#ctx.cache.lister(Lease).get({ namespace: leaseNamespace, name });
    const { clock } = this.#ctx;
    const ageMs = clock.now() - Date.parse(creationTimestamp ?? '');
    const health = observeHealth(node, { lease, before: before?.health, monotonicMs: clock.monotonic(), ageMs });
    if (before) {
      before.health = health;
      return before;
    }
    const known: KnownNode = { uid, health, marksPods: false, unreadySinceMs: undefined };
    nodes.set(name, known);
    this.#note(node.metadata, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
    return known;
  }

  async #markUnreachable(node: Stored<Node>, known: KnownNode): Promise<Stored<Node>> {
    const now = formatTime(this.#ctx.clock.now());
    const conditions = unknownConditions(node, now);
    if (!conditions) return node;
    const patch = { type: 'strategic', body: { status: { conditions } } } as const;
    const marked = await patchStatus(this.#ctx, { kind: Node, object: node, patch });
    known.health = { ...known.health, heartbeat: readyOf(marked)?.lastHeartbeatTime ?? '' };
    if (readyOf(node)?.status === 'True') {
      known.marksPods = true;
      const { name } = node.metadata;
      this.#note(node.metadata, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
    }
    return marked;
  }

  #noteRate(change: RateChange): void {
    const { nodes, enqueueAll } = this.#state;
    if (change === 'none') return;
    if (change === 'recovered') {
      // The first node is ready again, so give the other nodes time to recover too.
      const nowMs = this.#ctx.clock.monotonic();
      for (const known of nodes.values()) {
        known.health = { ...known.health, seenMs: nowMs };
        if (known.unreadySinceMs !== undefined) known.unreadySinceMs = nowMs;
      }
    }
    enqueueAll();
  }

  async #markPods(known: KnownNode, name: string): Promise<void> {
    const ctx = this.#ctx;
    for (const key of this.#state.pods.on(name)) {
      const pod = ctx.cache.lister(Pod).get(key);
      const ready = pod?.status?.conditions?.find(({ type }) => type === 'Ready');
      if (!pod || !ready || ready.status === 'False') continue;
      const lastTransitionTime = formatTime(ctx.clock.now());
      const body = {
        metadata: { uid: pod.metadata.uid },
        status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime }] },
      };
      try {
        await ctx.client.resource(Pod).status.patch(key, { type: 'strategic', body }, { signal: ctx.signal });
        const message = 'Node is not ready';
        this.#state.events.record(ctx, { about: pod, type: 'Warning', reason: 'NodeNotReady', message });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    known.marksPods = false;
  }

  /**
   * Writes the node's taints and labels. Returns the time until the node's pods may be evicted, in milliseconds, if the
   * eviction has to wait.
   */
  async #updateMetadata(node: Node, known: KnownNode): Promise<number | undefined> {
    const now = formatTime(this.#ctx.clock.now());
    const present = node.spec?.taints ?? [];
    const { key, waitMs } = this.#evictionOf(node, known);
    const taints = withEviction(taintsOf(node, now) ?? present, { key, now });
    const labels = missingLabels(node);
    if (isSame(taints, present) && !labels) return waitMs;
    // Patch with the resource version, so that taints set by other clients are not lost.
    const { resourceVersion } = node.metadata;
    const body = {
      metadata: { resourceVersion, ...defined({ labels }) },
      spec: { taints: taints.length === 0 ? null : taints },
    };
    await patchObject(this.#ctx, { kind: Node, object: node, patch: { type: 'merge', body } });
    return waitMs;
  }

  /**
   * Decides which taint evicts a node's pods, if any. Once eviction has started, it continues; only the taint can
   * change.
   */
  #evictionOf(
    node: Node,
    { unreadySinceMs }: KnownNode,
  ): { readonly key: string | undefined; readonly waitMs?: number | undefined } {
    const { zones } = this.#state;
    const ready = readyOf(node);
    if (!ready || ready.status === 'True' || zones.isDisrupted) return { key: undefined };
    const key = ready.status === 'Unknown' ? unreachable : notReady;
    if (isEvicting(node, notReady) || isEvicting(node, unreachable)) return { key };
    const nowMs = this.#ctx.clock.monotonic();
    const pauseMs = (unreadySinceMs ?? nowMs) + zoneCheckMs - nowMs;
    if (pauseMs > 0) return { key: undefined, waitMs: pauseMs };
    const waitMs = zones.take(node, nowMs);
    return waitMs === 0 ? { key } : { key: undefined, waitMs };
  }

  #note(
    { name, uid }: { readonly name: string; readonly uid?: string | undefined },
    reason: string,
    message: string,
  ): void {
    const about = { apiVersion: 'v1', kind: 'Node', metadata: { name, ...defined({ uid }) } };
    this.#state.events.record(this.#ctx, { about, reason, message });
  }
}

function isSame(a: readonly Taint[], b: readonly Taint[]): boolean {
  return a.length === b.length && a.every((taint) => b.includes(taint));
}
