import { runOperator } from '@kubewright/runtime';
import { postgresql } from './controllers/postgresql.ts';

process.exitCode = await runOperator({
  controllers: [postgresql],
  leaderElection: { id: 'postgresql.database.db.example.com' },
});
