import { isDeleting, type Stored } from '@kubewright/apimachinery';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { CronJob, Job } from '@kubewright/apimachinery/batch/v1';
import { ConfigMap, PersistentVolumeClaim, Service } from '@kubewright/apimachinery/core/v1';
import { after, controller, objectState, type ReconcileContext } from '@kubewright/runtime';
import { SampleDB } from './api/v1/sample-db.ts';
import { claimFor, configFor, serverFor, serviceFor } from './children.ts';
import { backupsFor, dumpJob, loadJob, snapshotJob } from './jobs.ts';
import { type VersionChange, versionChange } from './version-change.ts';

/** Runs each database, backs it up, upgrades it, and takes a snapshot before its deletion. */
export const sampleDB = controller({
  for: SampleDB,
  owns: [PersistentVolumeClaim, Service, ConfigMap, StatefulSet, Job, CronJob],
  finalizers: {
    async 'samples.example.com/snapshot'(db, ctx) {
      const { name, namespace } = db.metadata;
      const data = await ctx.get(PersistentVolumeClaim, { namespace, name: `${name}-data` });
      if (!data) return undefined;
      const { status } = db;
      // Without a version, there has never been any data.
      if (status?.version) {
        const server = ctx.observed.get(StatefulSet, name);
        if (!server || isDeleting(server)) {
          if (isDeleting(data)) return undefined;
          const note = `cannot take a snapshot, because the database server no longer exists; to delete the database without a snapshot, delete the claim "${name}-data"`;
          ctx.events.record({ type: 'Warning', reason: 'SnapshotImpossible', note });
          return { requeueAfterMs: 30_000 };
        }
        // Until the upgrade is complete, only the old server has the data, so the snapshot waits for the upgrade.
        const to = server.spec?.template.spec?.containers[0]?.image?.replace(/^.*:/, '') ?? '';
        if (to !== status.version) {
          const note = `the upgrade to ${to} must be complete before the snapshot; to delete the database without a snapshot, delete the claim "${name}-data": the claim "${name}-snapshots" contains the data in before-${to}.sql`;
          ctx.events.record({ type: 'Normal', reason: 'UpgradeBeforeSnapshot', note });
          return { ...stateFor(db, { from: status.version, to }, ctx), finalized: isDeleting(data) };
        }
        const job = await ctx.apply(snapshotJob(db, status.version));
        const { state } = objectState(job);
        if (state === 'Failed') await ctx.delete(job, { propagationPolicy: 'Background' });
        // Usually, an event of the Job triggers the next reconcile earlier.
        if (state !== 'Current') return { requeueAfterMs: 30_000 };
      }
      await ctx.delete(data);
      return undefined;
    },
  },
  async reconcile(db, ctx) {
    const { namespace } = db.metadata;
    // The claims have no owner, so the garbage collector keeps them.
    for (const claim of [claimFor(db, 'data'), claimFor(db, 'snapshots')])
      if (!(await ctx.get(PersistentVolumeClaim, { namespace, name: claim.metadata.name ?? '' })))
        await ctx.apply(claim, { ownership: 'none' });
    return stateFor(db, versionChange(db), ctx);
  },
});

/** Returns the children and the status of a database that is changing its version or running normally. */
function stateFor(db: Stored<SampleDB>, change: VersionChange | undefined, { observed }: ReconcileContext<SampleDB>) {
  const load = change && loadJob(db, change);
  const loaded = load && observed.get(Job, load.metadata.name);
  const isChanging = load && !(loaded && objectState(loaded).state === 'Current');
  const version = change?.to ?? db.spec.version;
  const server = serverFor(db, version);
  const host = observed.get(Service, db.metadata.name)?.spec?.clusterIP;
  const common = [serviceFor(db), host !== undefined && configFor(db, host)];
  if (!isChanging) return { children: [...common, server, backupsFor(db, version)], status: { version } };
  const status = { ...db.status, target: change.to };
  // A new database needs only the server and its first data. An upgrade dumps the old server, starts the new one, and loads the dump.
  if (change.from === undefined) return { children: [...common, server, after(server, load)], status };
  const dump = dumpJob(db, change);
  return { children: [...common, dump, after(dump, server), after([dump, server], load)], status };
}
