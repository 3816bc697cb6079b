import { runOperator } from '@kubewright/runtime';
import { instances } from './instance.ts';

process.exitCode = await runOperator({ controllers: [instances()] });
