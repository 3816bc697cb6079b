import type { Stored } from '@kubewright/apimachinery';
import { PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import type { ReconcileContext } from '@kubewright/runtime';
import type { FailoverQuorum, PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { roleLabel } from '../instance/protocol.ts';
import type { ObservedCluster } from '../plan/observed-cluster.ts';
import { roleOf } from '../plan/roles.ts';
import type { RolloutStep } from '../plan/rollout.ts';
import type { ScaleStep } from '../plan/scale.ts';
import { archiveOwnerAnnotation } from '../spec/archive-owner.ts';
import { instancePodFor } from '../spec/instance-pod.ts';
import { removedLabel, volumeClaimFor } from '../spec/volume-claim.ts';
import type { Attempts } from './attempts.ts';
import type { OwnObjects } from './own-objects.ts';

/** Carries out decisions about a cluster's pods and claims. A change that fails does not prevent the others. */
export class ClusterChanges {
  readonly #cluster: Stored<PostgresCluster>;
  readonly #ctx: ReconcileContext<PostgresCluster>;
  readonly #image: string;
  readonly #archiveOwner: string;
  readonly #own: OwnObjects;
  readonly #attempts: Attempts;
  readonly #created: string[] = [];

  constructor(
    cluster: Stored<PostgresCluster>,
    parts: {
      readonly ctx: ReconcileContext<PostgresCluster>;
      readonly own: OwnObjects;
      readonly image: string;
      readonly archiveOwner: string;
      readonly attempts: Attempts;
    },
  ) {
    this.#cluster = cluster;
    this.#ctx = parts.ctx;
    this.#own = parts.own;
    this.#image = parts.image;
    this.#archiveOwner = parts.archiveOwner;
    this.#attempts = parts.attempts;
  }

  /** Names of the instances whose volume claims were created. */
  get created(): readonly string[] {
    return this.#created;
  }

  /** Corrects the role labels. Labels a new primary last, so that two pods never have the label `primary` at the same time. */
  async setRoles(pods: readonly Stored<Pod>[], observed: ObservedCluster): Promise<void> {
    const reports = new Map(observed.members.map(({ name, report }) => [name, report]));
    const changes = pods.flatMap(({ metadata: { name, labels } }) => {
      const role = roleOf({ name, report: reports.get(name) }, observed);
      const before = labels?.[roleLabel];
      return before === role ? [] : [{ name, role, before }];
    });
    const ordered = [
      ...changes.filter(({ role }) => role !== 'primary'),
      ...changes.filter(({ role }) => role === 'primary'),
    ];
    let hasFormerPrimary = false;
    for (const { name, role = null, before } of ordered) {
      if (role === 'primary' && hasFormerPrimary) return;
      const body = { metadata: { labels: { [roleLabel]: role } } };
      const act = () => this.#ctx.client.resource(Pod).patch(this.#key(name), { type: 'merge', body });
      const isLabeled = await this.#attempts.make(`label the pod of ${name} with its role`, act);
      if (!isLabeled && before === 'primary') hasFormerPrimary = true;
    }
  }

  async scale(steps: readonly ScaleStep[]): Promise<void> {
    for (const step of steps) await this.#attempts.make(`${step.do} ${step.name}`, () => this.#step(step));
  }

  /** Expands the volume claims of instances. */
  async grow(instances: readonly string[], size: string): Promise<void> {
    for (const name of instances) {
      const body = { spec: { resources: { requests: { storage: size } } } };
      const act = () =>
        this.#ctx.client.resource(PersistentVolumeClaim).patch(this.#key(name), { type: 'merge', body });
      if ((await this.#attempts.make(`expand the volume of ${name} to ${size}`, act)) === true) {
        this.#ctx.events.record({ reason: 'VolumeExpanding', note: `expanding the volume of ${name} to ${size}` });
      }
    }
  }

  /** Annotates claims with the ID under which the cluster archives WAL. */
  async mark(instances: readonly string[]): Promise<void> {
    const body = { metadata: { annotations: { [archiveOwnerAnnotation]: this.#archiveOwner } } };
    for (const name of instances) {
      const act = () =>
        this.#ctx.client.resource(PersistentVolumeClaim).patch(this.#key(name), { type: 'merge', body });
      await this.#attempts.make(`annotate the volume claim of ${name}`, act);
    }
  }

  /** Carries out a rollout step: recreates a pod, or calls `restart` to restart a server. */
  async update(step: RolloutStep | undefined, restart: (name: string) => Promise<void>): Promise<void> {
    if (step === undefined || step.do === 'wait') return;
    const { name, why } = step;
    await this.#attempts.make(`${step.do} ${name}`, async () => {
      if (step.do === 'recreate') return this.#deletePod(name, { reason: 'PodRecreated', why });
      // Each reconcile repeats the request until the instance reports that its server is stopping.
      this.#ctx.events.record({ reason: 'Restarting', note: `restarting ${name}: ${why}`, series: name });
      await restart(name);
    });
  }

  /** Deletes the claims of removed instances, except while a quorum still names the instance. */
  async deleteRemoved(
    claims: readonly Stored<PersistentVolumeClaim>[],
    quorums: readonly FailoverQuorum[],
  ): Promise<void> {
    const needed = new Set(quorums.flatMap(({ standbyNames }) => standbyNames));
    for (const claim of claims) {
      const { name, labels, deletionTimestamp } = claim.metadata;
      const isDue = labels?.[removedLabel] === 'deleting' && deletionTimestamp === undefined;
      if (!isDue || needed.has(name)) continue;
      await this.#attempts.make(`delete the volume claim of ${name}`, () => this.#ctx.delete(claim));
    }
  }

  async #step(step: ScaleStep): Promise<void> {
    switch (step.do) {
      case 'create':
        return this.#create(step.name);
      case 'start':
        return this.#start(step.name);
      case 'stop':
        return this.#deletePod(step.name, { reason: 'PodDeleted', why: step.why });
      case 'remove':
        return this.#remove(step.name, step.why);
    }
  }

  async #create(name: string): Promise<void> {
    // The claim has no owner, so that the volume outlives the cluster.
    const claim = volumeClaimFor(this.#cluster, { instance: name, archiveOwner: this.#archiveOwner });
    await this.#own.apply(PersistentVolumeClaim, [claim], 'none');
    this.#created.push(name);
    await this.#start(name);
    this.#ctx.events.record({ reason: 'InstanceCreated', note: `created the instance ${name}`, series: name });
  }

  async #start(name: string): Promise<void> {
    await this.#own.apply(Pod, [instancePodFor(this.#cluster, { instance: name, image: this.#image })]);
  }

  async #remove(name: string, why: string): Promise<void> {
    const claims = this.#ctx.client.resource(PersistentVolumeClaim);
    const claim = await this.#own.get(PersistentVolumeClaim, name);
    await this.#deletePod(name, { reason: 'InstanceRemoved', why });
    if (!claim) return;
    const removed = this.#cluster.spec.storage.deletionPolicy === 'Delete' ? 'deleting' : 'true';
    const body = { metadata: { labels: { [removedLabel]: removed } } };
    await claims.patch(this.#key(name), { type: 'merge', body });
  }

  async #deletePod(name: string, { reason, why }: { readonly reason: string; readonly why: string }): Promise<void> {
    const pod = await this.#own.get(Pod, name);
    if (!pod || pod.metadata.deletionTimestamp !== undefined) return;
    await this.#ctx.delete(pod);
    this.#ctx.events.record({ reason, note: `deleted the pod of ${name}: ${why}`, series: name });
  }

  #key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#cluster.metadata.namespace ?? '', name };
  }
}
