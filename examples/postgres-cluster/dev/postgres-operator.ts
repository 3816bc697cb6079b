import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { applyManifests } from '@kubewright/controlplane';
import { type ControllerDefinition, silentLogger as log, Manager } from '@kubewright/runtime';
import { postgresBackup } from '../src/controllers/postgres-backup.ts';
import { postgresBackupSchedule } from '../src/controllers/postgres-backup-schedule.ts';
import { postgresCluster } from '../src/controllers/postgres-cluster.ts';
import { postgresDatabase } from '../src/controllers/postgres-database.ts';
import { postgresPooler } from '../src/controllers/postgres-pooler.ts';
import { postgresRole } from '../src/controllers/postgres-role.ts';
import { clusterMetricsPath, ObservedClusters } from '../src/metrics/observed-clusters.ts';

const image = 'postgres-instance';
const kinds = ['clusters', 'backups', 'backupschedules', 'databases', 'poolers', 'roles'];

/** Returns the path of a file of this example. */
export function fileOf(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** True if PostgreSQL's programs are installed. */
export const isPostgresInstalled: boolean =
  existsSync('/usr/lib/postgresql') || spawnSync('pg_rewind', ['--version']).status === 0;

/** Builds the instance manager, which runs in the instances' pods. */
export function buildInstanceManager(): void {
  const built = spawnSync(process.execPath, [fileOf('build-programs.mjs')], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
}

/** Installs the operator's CRDs. */
export async function installKinds(client: KubernetesClient): Promise<void> {
  const files = kinds.map((kind) => fileOf(`config/crd/bases/database.db.example.com_postgres${kind}.yaml`));
  await applyManifests(client, { files, fieldManager: 'test' });
}

/** Starts the operator, with all its controllers. */
export async function startOperator(
  client: KubernetesClient,
  { clock = systemClock, shutdownMs = 30_000 }: { readonly clock?: Clock; readonly shutdownMs?: number } = {},
): Promise<Manager> {
  const metrics = new ObservedClusters();
  const controllers: readonly ControllerDefinition[] = [
    postgresCluster({ image, metrics }),
    postgresDatabase(),
    postgresRole(),
    postgresPooler({ image: 'postgres-pooler' }),
    postgresBackup(),
    postgresBackupSchedule({ image }),
  ];
  const manager = new Manager({
    controllers,
    client,
    clock,
    log,
    handleSignals: false,
    gracefulShutdownTimeoutMs: shutdownMs,
    metricsBindAddress: '127.0.0.1:0',
    metricsHandlers: { [clusterMetricsPath]: (request, response) => metrics.serve(request, response) },
  });
  manager.run().catch(() => undefined); // runs until the caller stops it
  await manager.started();
  return manager;
}
