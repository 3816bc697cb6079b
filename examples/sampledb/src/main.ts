import { runOperator } from '@kubewright/runtime';
import { sampleDB } from './sample-db.ts';

process.exitCode = await runOperator({
  controllers: [sampleDB],
  leaderElection: { id: 'sampledb.example.com' },
});
