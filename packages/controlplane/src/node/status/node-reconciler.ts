import { isAlreadyExists } from '@kubewright/apimachinery';
import { Node } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import type { EventRecorder, ReconcileResult, RequestContext } from '@kubewright/runtime';
import type { DiskPressure } from './disk-pressure.ts';
import { type NodeFacts, nodeMetadata, nodeStatus } from './node-description.ts';

/** Interval between checks of the node, in milliseconds. */
const heartbeatMs = 10_000;
/** Interval after which the status is written even if only the heartbeat times have changed, in milliseconds. */
const statusHeartbeatMs = 5 * 60_000;
/** Interval between checks of a full disk, in milliseconds. */
const pressureLookMs = 2_000;

/** Options for {@link NodeReconciler}. */
export interface NodeReconcilerOptions {
  readonly facts: NodeFacts;
  readonly disk: DiskPressure;
  /** Returns the kubelet's recorder. */
  readonly events: () => EventRecorder;
}

/** Maintains a node's Node object. */
export class NodeReconciler {
  readonly #facts: NodeFacts;
  readonly #disk: DiskPressure;
  readonly #events: () => EventRecorder;
  #writtenMs = Number.NEGATIVE_INFINITY;
  #hasReported = false;

  constructor({ facts, disk, events }: NodeReconcilerOptions) {
    this.#facts = facts;
    this.#disk = disk;
    this.#events = events;
  }

  /** Registers the node if needed, and updates its labels and status. */
  async reconcile(ctx: RequestContext): Promise<ReconcileResult> {
    const { name } = this.#facts;
    const node = ctx.cache.lister(Node).get({ name }) ?? (await this.#register(ctx));
    await this.#updateMetadata(node, ctx);
    this.#recordNote(node);
    const now = ctx.clock.monotonic();
    const heartbeat = now - this.#writtenMs >= statusHeartbeatMs;
    this.#disk.look();
    const diskPressure = this.#disk.isPresent;
    const status = nodeStatus(this.#facts, { before: node, nowMs: ctx.clock.now(), heartbeat, diskPressure });
    const { capacity, allocatable, addresses, nodeInfo, daemonEndpoints, conditions } = node.status ?? {};
    const before = { capacity, allocatable, addresses, nodeInfo, daemonEndpoints, conditions };
    if (heartbeat || !sameJson(before, status)) {
      this.#writtenMs = now;
      await ctx.client
        .resource(Node)
        .status.patch({ name }, { type: 'strategic', body: { status } }, { signal: ctx.signal });
      this.#recordPressure(node);
    }
    return { requeueAfterMs: diskPressure ? pressureLookMs : heartbeatMs };
  }

  /** Records the kubelet's event if the DiskPressure condition has changed. */
  #recordPressure(node: Node): void {
    const { isPresent } = this.#disk;
    const before = node.status?.conditions?.find(({ type }) => type === 'DiskPressure')?.status;
    if (before === undefined || (before === 'True') === isPresent) return;
    const reason = isPresent ? 'NodeHasDiskPressure' : 'NodeHasNoDiskPressure';
    this.#events().record({ reason, note: `Node ${this.#facts.name} status is now: ${reason}`, regarding: node });
  }

  /** Records once, as an event, how the node differs from regular nodes. */
  #recordNote(node: Node): void {
    const { note } = this.#facts;
    if (note === undefined || this.#hasReported) return;
    this.#hasReported = true;
    this.#events().record({ type: 'Warning', reason: note.reason, note: note.text, regarding: node });
  }

  async #register(ctx: RequestContext): Promise<Node> {
    const nodes = ctx.client.resource(Node);
    const status = nodeStatus(this.#facts, {
      before: undefined,
      nowMs: ctx.clock.now(),
      heartbeat: true,
      diskPressure: false,
    });
    const { signal } = ctx;
    try {
      return await nodes.create(
        { apiVersion: 'v1', kind: 'Node', metadata: nodeMetadata(this.#facts), spec: {}, status },
        { signal },
      );
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return nodes.get({ name: this.#facts.name }, { signal });
    }
  }

  /** Updates the node's own labels and annotations; keeps taints, and labels and annotations of other writers. */
  async #updateMetadata(node: Node, ctx: RequestContext): Promise<void> {
    const { labels = {}, annotations = {} } = nodeMetadata(this.#facts);
    const missing = differing(labels, node.metadata.labels ?? {});
    const stale = differing(annotations, node.metadata.annotations ?? {});
    if (Object.keys(missing).length + Object.keys(stale).length === 0) return;
    const body = { metadata: { labels: missing, annotations: stale } };
    await ctx.client.resource(Node).patch({ name: this.#facts.name }, { type: 'merge', body }, { signal: ctx.signal });
  }
}

function differing(
  wanted: Readonly<Record<string, string>>,
  present: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => present[key] !== value));
}
