import { isConflict, isNotFound, objectKey, type Stored } from '@kubewright/apimachinery';
import { Deployment, type DeploymentCondition, ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import type { ReconcileContext } from '@kubewright/runtime';
import type { CoreEventRecorder } from '../core-event-recorder.ts';
import { updateObject, updateStatus } from '../object-writes.ts';
import { sizeAnnotations } from './annotations.ts';
import { withCondition } from './conditions.ts';
import { sizeOf } from './rollout-math.ts';

/** One reconcile of a deployment: its state, and the writes that several steps need. */
export class Rollout {
  readonly ctx: ReconcileContext<Deployment>;
  readonly events: CoreEventRecorder;
  /** The deployment as of the last write of this reconcile. */
  deployment: Stored<Deployment>;
  /** All replica sets of the deployment, as of the last writes. */
  sets: readonly Stored<ReplicaSet>[];

  constructor(parts: {
    readonly ctx: ReconcileContext<Deployment>;
    readonly events: CoreEventRecorder;
    readonly deployment: Stored<Deployment>;
    readonly sets: readonly Stored<ReplicaSet>[];
  }) {
    this.ctx = parts.ctx;
    this.events = parts.events;
    this.deployment = parts.deployment;
    this.sets = parts.sets;
  }

  get nowMs(): number {
    return this.ctx.clock.now();
  }

  /** Writes the deployment's status and annotations. */
  async writeStatus(deployment: Deployment): Promise<void> {
    this.deployment = await updateStatus(this.ctx, { kind: Deployment, object: deployment });
  }

  /** Sets a condition and writes the status, together with the changes that `also` makes. */
  async writeCondition(
    condition: DeploymentCondition,
    also: (deployment: Deployment) => Deployment = (same) => same,
  ): Promise<void> {
    const { status } = this.deployment;
    const conditions = withCondition(status?.conditions, condition);
    await this.writeStatus(also({ ...this.deployment, status: { ...status, conditions } }));
  }

  /** Scales a replica set and updates its size annotations. If its size changes, records an event and returns true. */
  async scale(set: ReplicaSet, size: number): Promise<boolean> {
    const { deployment } = this;
    const before = sizeOf(set);
    const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
    const noted = Object.entries(annotations).every(([key, value]) => set.metadata.annotations?.[key] === value);
    if (before === size && noted) return false;
    const spec = { ...set.spec!, replicas: size };
    this.replace(
      await updateObject(this.ctx, {
        kind: ReplicaSet,
        object: { ...set, metadata: { ...set.metadata, annotations }, spec },
      }),
    );
    if (before === size) return false;
    const direction = before < size ? 'up' : 'down';
    const message = `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${size}`;
    this.events.record(this.ctx, { about: deployment, reason: 'ScalingReplicaSet', message });
    return true;
  }

  /**
   * Scales a replica set only if its size differs. If the size is unchanged, leaves outdated annotations unchanged.
   */
  async resize(set: ReplicaSet, size: number): Promise<boolean> {
    return sizeOf(set) === size ? false : this.scale(set, size);
  }

  /** Replaces a replica set in the list, or adds it. */
  replace(set: Stored<ReplicaSet>): void {
    const known = this.sets.some((each) => each.metadata.uid === set.metadata.uid);
    this.sets = known
      ? this.sets.map((each) => (each.metadata.uid === set.metadata.uid ? set : each))
      : [...this.sets, set];
  }

  /** Returns the latest known state of a replica set. */
  current(set: Stored<ReplicaSet>): Stored<ReplicaSet> {
    return this.sets.find((each) => each.metadata.uid === set.metadata.uid) ?? set;
  }

  /** Deletes a replica set, unless it has changed since it was read. */
  async drop(set: ReplicaSet): Promise<void> {
    const preconditions = { uid: set.metadata.uid, resourceVersion: set.metadata.resourceVersion };
    try {
      await this.ctx.client
        .resource(ReplicaSet)
        .delete(objectKey(set), { preconditions, propagationPolicy: 'Background', signal: this.ctx.signal });
    } catch (error) {
      // The set was deleted or changed in the meantime; the next reconcile decides again.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}
