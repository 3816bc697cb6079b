import { runOperator } from '@kubewright/runtime';
import { instance } from './instance.ts';

process.exitCode = await runOperator({ controllers: [instance] });
