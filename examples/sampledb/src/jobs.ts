import type { Stored } from '@kubewright/apimachinery';
import { CronJob, Job } from '@kubewright/apimachinery/batch/v1';
import type { PodTemplateSpec } from '@kubewright/apimachinery/core/v1';
import type { SampleDB } from './api/v1/sample-db.ts';
import type { VersionChange } from './version-change.ts';

/** The path at which the Jobs mount the volume with the snapshots. */
const folder = '/snapshots';

/**
 * Returns the Job that completes a change: it loads the data of the previous version, or runs the SQL for a new
 * database. The data is loaded into a database with another name, which is then renamed. Until it is renamed, clients
 * find no database to write to. Otherwise, their rows would collide with the loaded rows, or be lost with a failed
 * attempt.
 */
export function loadJob(db: Stored<SampleDB>, { from, to }: VersionChange): Job {
  const source = from === undefined ? '--command "$INITIALIZE"' : `--file ${folder}/before-${to}.sql`;
  const script = `admin() { psql --set ON_ERROR_STOP=1 --dbname postgres --tuples-only --no-align --command "$1"; }
test -z "$(admin "SELECT 1 FROM pg_database WHERE datname = '$PGDATABASE'")" || exit 0
admin 'DROP DATABASE IF EXISTS loading'
admin 'CREATE DATABASE loading'
psql --set ON_ERROR_STOP=1 --dbname loading --single-transaction ${source}
admin "ALTER DATABASE loading RENAME TO $PGDATABASE"`;
  return job(db, { name: from === undefined ? 'init' : `upgrade-to-${to}`, version: to, script });
}

/**
 * The commands that make a database read-only before a dump, because later rows would be lost. The commands end the
 * sessions that may still write, and wait until the sessions have ended. Other dumps only read, so they continue.
 */
const rejectWrites = `export PGOPTIONS='-c default_transaction_read_only=off'
psql --set ON_ERROR_STOP=1 --command "ALTER DATABASE $PGDATABASE SET default_transaction_read_only = on"
ended=$(psql --set ON_ERROR_STOP=1 --tuples-only --no-align --command "SELECT bool_and(pg_terminate_backend(pid, 10000))
  FROM pg_stat_activity WHERE datname = '$PGDATABASE' AND pid <> pg_backend_pid() AND application_name <> 'pg_dump'")
test "$ended" != f || { echo 'a session did not end within 10 seconds'; exit 1; }`;

/** Returns the Job that saves the data before an upgrade. From then on, the old server rejects writes. */
export function dumpJob(db: Stored<SampleDB>, { from = '', to }: VersionChange): Job {
  const script = `${rejectWrites}\npg_dump --file ${folder}/before-${to}.sql`;
  return job(db, { name: `dump-for-${to}`, version: from, script });
}

/** Returns the Job that saves the data of a database that is being deleted. From then on, the server rejects writes. */
export function snapshotJob(db: Stored<SampleDB>, version: string): Job {
  const script = `${rejectWrites}\npg_dump --file ${folder}/final-${db.metadata.uid}.sql`;
  return job(db, { name: 'snapshot', version, script });
}

/** Takes backups on the schedule, and keeps seven of them. Returns undefined if there is no schedule. */
export function backupsFor(db: Stored<SampleDB>, version: string): CronJob | undefined {
  const { backupSchedule: schedule } = db.spec;
  if (schedule === undefined) return undefined;
  const script = `pg_dump --file ${folder}/backup-$(date -u +%Y%m%d%H%M%S).sql
ls ${folder}/backup-*.sql | head -n -7 | xargs -r rm`;
  const jobTemplate = { spec: { backoffLimit: 1, template: podTemplate(db, { version, script }) } };
  const spec = { schedule, concurrencyPolicy: 'Forbid', jobTemplate } as const;
  return CronJob({ metadata: { name: `${db.metadata.name}-backup` }, spec });
}

interface Work {
  readonly version: string;
  readonly script: string;
}

function job(db: Stored<SampleDB>, { name, ...work }: Work & { readonly name: string }): Job {
  const spec = { backoffLimit: 3, template: podTemplate(db, work) };
  return Job({ metadata: { name: `${db.metadata.name}-${name}` }, spec });
}

/** Returns a pod with the client programs, the address of the database from its ConfigMap, and the password from its Secret. */
function podTemplate({ metadata: { name } }: Stored<SampleDB>, { version, script }: Work): PodTemplateSpec {
  const container = {
    name: 'client',
    image: `postgres:${version}`,
    command: ['sh', '-ec', script],
    envFrom: [{ configMapRef: { name } }, { secretRef: { name } }],
    volumeMounts: [{ name: 'snapshots', mountPath: folder }],
  };
  const volumes = [{ name: 'snapshots', persistentVolumeClaim: { claimName: `${name}-snapshots` } }];
  return { spec: { restartPolicy: 'Never', containers: [container], volumes } };
}
