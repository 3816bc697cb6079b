import { isAlreadyExists, isNotFound } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Node } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import type { ReconcileResult, RequestContext } from '@kubewright/runtime';
import type { DiskPressure } from './disk-pressure.ts';
import { formatMicroTime } from './micro-time.ts';
import { type NodeFacts, nodeMetadata, nodeStatus } from './node-description.ts';

/** Interval between lease renewals and node checks, in milliseconds. */
const heartbeatMs = 10_000;
/** Interval after which the status is written even if only the heartbeat times have changed, in milliseconds. */
const statusHeartbeatMs = 5 * 60_000;
const leaseDurationSeconds = 40;
/** Interval between checks of a full disk, in milliseconds. */
const pressureLookMs = 2_000;

/** Maintains a node's Node object and Lease. */
export class NodeKeeper {
  readonly #facts: NodeFacts;
  readonly #disk: DiskPressure;
  #writtenMs = Number.NEGATIVE_INFINITY;
  #hasReported = false;

  constructor(facts: NodeFacts, disk: DiskPressure) {
    this.#facts = facts;
    this.#disk = disk;
  }

  /** Registers the node if needed, and updates its labels and status. */
  async keepNode(ctx: RequestContext): Promise<ReconcileResult> {
    const { name } = this.#facts;
    const node = ctx.cache.lister(Node).get({ name }) ?? (await this.#register(ctx));
    await this.#keepMetadata(node, ctx);
    this.#report(node, ctx);
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
      this.#recordPressure(node, ctx);
    }
    return { requeueAfterMs: diskPressure ? pressureLookMs : heartbeatMs };
  }

  /** Renews the lease that shows that the node is alive. */
  async keepLease(ctx: RequestContext): Promise<ReconcileResult> {
    const { name } = this.#facts;
    const { signal } = ctx;
    const leases = ctx.client.resource(Lease);
    const key = { namespace: 'kube-node-lease', name };
    const renewTime = formatMicroTime(ctx.clock.now());
    const spec = { holderIdentity: name, leaseDurationSeconds, renewTime };
    try {
      await leases.patch(key, { type: 'merge', body: { spec } }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const node = ctx.cache.lister(Node).get({ name });
      const owner = node && { apiVersion: 'v1', kind: 'Node', name, uid: node.metadata.uid };
      const metadata = { ...key, ...(owner && { ownerReferences: [owner] }) };
      await leases.create(Lease({ metadata, spec }), { signal });
    }
    return { requeueAfterMs: heartbeatMs };
  }

  /** Records the kubelet's event if the DiskPressure condition has changed. */
  #recordPressure(node: Node, { events }: RequestContext): void {
    const { isPresent } = this.#disk;
    const before = node.status?.conditions?.find(({ type }) => type === 'DiskPressure')?.status;
    if (before === undefined || (before === 'True') === isPresent) return;
    const reason = isPresent ? 'NodeHasDiskPressure' : 'NodeHasNoDiskPressure';
    events.record({ reason, note: `Node ${this.#facts.name} status is now: ${reason}`, regarding: node });
  }

  /** Records once, as an event, how the node differs from regular nodes. */
  #report(node: Node, { events }: RequestContext): void {
    const { note } = this.#facts;
    if (note === undefined || this.#hasReported) return;
    this.#hasReported = true;
    events.record({ type: 'Warning', reason: note.reason, note: note.text, regarding: node });
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
  async #keepMetadata(node: Node, ctx: RequestContext): Promise<void> {
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
