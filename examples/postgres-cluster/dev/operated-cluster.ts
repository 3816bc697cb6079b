import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { KubernetesClient } from '@kubewright/client';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { type ControllerDefinition, silentLogger as log, Manager } from '@kubewright/runtime';
import { postgresBackup } from '../src/controllers/postgres-backup.ts';
import { postgresBackupSchedule } from '../src/controllers/postgres-backup-schedule.ts';
import { postgresCluster } from '../src/controllers/postgres-cluster.ts';
import { postgresDatabase } from '../src/controllers/postgres-database.ts';
import { postgresRole } from '../src/controllers/postgres-role.ts';

const image = 'postgres-instance';
const kinds = ['clusters', 'backups', 'backupschedules', 'databases', 'roles'];

/** Returns the path of a file of this example. */
export function fileOf(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** True if the programs of PostgreSQL are installed. */
export const isPostgresInstalled: boolean =
  existsSync('/usr/lib/postgresql') || spawnSync('pg_rewind', ['--version']).status === 0;

/** An embedded cluster whose pods are processes, with the operator. */
export class OperatedCluster implements AsyncDisposable {
  readonly client: KubernetesClient;
  readonly kubeconfig: string;
  readonly #cluster: EmbeddedCluster;
  readonly #manager: Manager;

  private constructor(cluster: EmbeddedCluster, manager: Manager) {
    this.#cluster = cluster;
    this.#manager = manager;
    this.client = cluster.client();
    this.kubeconfig = cluster.kubeconfig ?? '';
  }

  static async start({ nodes }: { readonly nodes: number }): Promise<OperatedCluster> {
    const built = spawnSync(process.execPath, [fileOf('build-programs.mjs')], { encoding: 'utf8' });
    if (built.status !== 0) throw new Error(built.stderr);
    const cluster = await EmbeddedCluster.start({
      node: { count: nodes, imageFile: fileOf('kubewright-images.json') },
    });
    const client = cluster.client();
    const files = kinds.map((kind) => fileOf(`config/crd/bases/database.db.example.com_postgres${kind}.yaml`));
    await applyManifests(client, { files, fieldManager: 'test' });
    const controllers: readonly ControllerDefinition[] = [
      postgresCluster({ image }),
      postgresDatabase(),
      postgresRole(),
      postgresBackup(),
      postgresBackupSchedule({ image }),
    ];
    const manager = new Manager({ controllers, client, log, handleSignals: false, metricsBindAddress: '127.0.0.1:0' });
    manager.run().catch(() => undefined); // stopped by the disposal
    await manager.started();
    return new OperatedCluster(cluster, manager);
  }

  /** Returns the metrics of the operator. */
  async operatorMetrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#manager.ports.metrics}/metrics`)).text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager[Symbol.asyncDispose]();
    await this.#cluster[Symbol.asyncDispose]();
  }
}
