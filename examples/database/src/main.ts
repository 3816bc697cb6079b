import { runOperator } from '@kubewright/runtime';
import { database } from './database.ts';

process.exitCode = await runOperator({ controllers: [database] });
