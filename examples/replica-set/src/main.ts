import { runOperator } from '@kubewright/runtime';
import { replicaSet } from './replica-set.ts';

process.exitCode = await runOperator({ controllers: [], runnables: [replicaSet] });
