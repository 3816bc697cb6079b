import { randomBytes } from 'node:crypto';
import { isDeleting, type Stored } from '@kubewright/apimachinery';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { CronJob, Job } from '@kubewright/apimachinery/batch/v1';
import { ConfigMap, PersistentVolumeClaim, Secret, Service } from '@kubewright/apimachinery/core/v1';
import { activateIf, after, controller, objectState } from '@kubewright/runtime';
import { SampleDB } from './api/v1/sample-db.ts';
import { configFor, dataFor, dataName, secretFor, serverFor, serviceFor, snapshotsFor } from './children.ts';
import { backupsFor, dumpJob, initJob, snapshotJob, upgradeJob } from './jobs.ts';
import { type VersionChange, versionChange } from './version-change.ts';

/** Runs each database, backs it up, upgrades it, and takes a snapshot before its deletion. */
export const sampleDB = controller({
  for: SampleDB,
  owns: [PersistentVolumeClaim, Secret, Service, ConfigMap, StatefulSet, Job, CronJob],
  finalizers: {
    async 'samples.example.com/snapshot'(db, ctx) {
      const { name, namespace } = db.metadata;
      const data = await ctx.get(PersistentVolumeClaim, { namespace, name: dataName(name) });
      if (!data) return undefined;
      // Without a version, there has never been any data.
      if (db.status?.version) {
        const server = ctx.observed.get(StatefulSet, name);
        const obstacle =
          !server || isDeleting(server)
            ? 'the server is gone'
            : !(await ctx.get(Secret, { namespace, name })) && `the Secret "${name}" is gone: create it again`;
        if (obstacle) {
          if (isDeleting(data)) return undefined;
          const note = `cannot take a snapshot, because ${obstacle}; to give up the data, delete the claim "${dataName(name)}"`;
          ctx.events.record({ type: 'Warning', reason: 'SnapshotImpossible', note });
          return { requeueAfterMs: 30_000 };
        }
        const job = await ctx.apply(snapshotJob(db));
        const { state, message } = objectState(job);
        if (state === 'Failed') {
          ctx.events.record({ type: 'Warning', reason: 'SnapshotFailed', note: `the snapshot ${message}` });
          await ctx.delete(job, { propagationPolicy: 'Background' });
        }
        // The Job's events come earlier.
        if (state !== 'Current') return { requeueAfterMs: 30_000 };
      }
      await ctx.delete(data);
      return undefined;
    },
  },
  async reconcile(db, ctx) {
    const { name, namespace } = db.metadata;
    const { observed } = ctx;
    // Without an owner, so that the garbage collector keeps them.
    for (const claim of [dataFor(db), snapshotsFor(db)])
      if (!(await ctx.get(PersistentVolumeClaim, { namespace, name: claim.metadata.name ?? '' })))
        await ctx.apply(claim, { ownership: 'none' });
    // Data that exists has the password with which it was initialized.
    const secret = await ctx.get(Secret, { namespace, name });
    const hasPassword = secret !== undefined || !db.status?.version;
    const change = versionChange(db);
    const last = change && lastJob(db, change);
    const finished = last && observed.get(Job, last.metadata.name ?? '');
    const isChanging = change !== undefined && !(finished && objectState(finished).state === 'Current');
    const version = change?.to ?? db.spec.version;
    const server = serverFor(db, version);
    const host = observed.get(Service, name)?.spec?.clusterIP;
    return {
      children: [
        activateIf(
          hasPassword || 'is gone: create it again with the PGPASSWORD of the existing data',
          secretFor(db, secret?.data?.['PGPASSWORD'] ?? newPassword()),
        ),
        serviceFor(db),
        host !== undefined && configFor(db, host),
        ...(isChanging ? steps(db, change, server) : [server, backupsFor(db, version)]),
      ],
      status: isChanging ? { ...db.status, target: change.to } : { version },
      // A Secret without an owner starts no reconcile.
      ...(!hasPassword && { requeueAfterMs: 30_000 }),
    };
  },
});

/** Returns the children of an installation or an upgrade, each of which waits for those before it. */
function steps(db: Stored<SampleDB>, change: VersionChange, server: StatefulSet) {
  if (change.from === undefined) return [server, after(server, initJob(db, change))];
  const dump = dumpJob(db, change);
  return [dump, after(dump, server), after([dump, server], upgradeJob(db, change))];
}

/** The Job that completes a change. */
function lastJob(db: Stored<SampleDB>, change: VersionChange): Job {
  return change.from === undefined ? initJob(db, change) : upgradeJob(db, change);
}

function newPassword(): string {
  return Buffer.from(randomBytes(24).toString('base64url')).toString('base64');
}
