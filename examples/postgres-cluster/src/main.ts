import { runOperator } from '@kubewright/runtime';
import { postgresBackup } from './controllers/postgres-backup.ts';
import { postgresBackupSchedule } from './controllers/postgres-backup-schedule.ts';
import { postgresCluster } from './controllers/postgres-cluster.ts';
import { postgresDatabase } from './controllers/postgres-database.ts';
import { postgresPooler } from './controllers/postgres-pooler.ts';
import { postgresRole } from './controllers/postgres-role.ts';

const image = process.env['INSTANCE_IMAGE'] ?? 'postgres-instance';
const poolerImage = process.env['POOLER_IMAGE'] ?? 'postgres-pooler';

process.exitCode = await runOperator({
  controllers: [
    postgresCluster({ image }),
    postgresDatabase(),
    postgresRole(),
    postgresPooler({ image: poolerImage }),
    postgresBackup(),
    postgresBackupSchedule({ image }),
  ],
  leaderElection: { id: 'postgres-cluster.db.example.com' },
});
