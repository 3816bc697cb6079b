import { runOperator } from '@kubewright/runtime';
import { postgresBackup } from './controllers/postgres-backup.ts';
import { postgresBackupSchedule } from './controllers/postgres-backup-schedule.ts';
import { postgresCluster } from './controllers/postgres-cluster.ts';
import { postgresDatabase } from './controllers/postgres-database.ts';
import { postgresPooler } from './controllers/postgres-pooler.ts';
import { postgresRole } from './controllers/postgres-role.ts';
import { clusterMetricsPath, ObservedClusters } from './metrics/observed-clusters.ts';

const image = process.env['INSTANCE_IMAGE'] ?? 'postgres-instance';
const poolerImage = process.env['POOLER_IMAGE'] ?? 'postgres-pooler';

const metrics = new ObservedClusters();

process.exitCode = await runOperator({
  controllers: [
    postgresCluster({ image, metrics }),
    postgresDatabase(),
    postgresRole(),
    postgresPooler({ image: poolerImage }),
    postgresBackup(),
    postgresBackupSchedule({ image }),
  ],
  metricsHandlers: { [clusterMetricsPath]: (request, response) => metrics.serve(request, response) },
  leaderElection: { id: 'postgres-cluster.db.example.com' },
});
