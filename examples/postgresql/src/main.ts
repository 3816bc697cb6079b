import { runOperator } from '@kubewright/runtime';
import { postgresql } from './controllers/postgresql.ts';

const leaderElection = { id: 'postgresql-operator.db.example.com' };
process.exitCode = await runOperator({ controllers: [postgresql], leaderElection });
