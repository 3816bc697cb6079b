import { runOperator } from '@kubewright/runtime';
import { cronTab } from './cron-tab.ts';

process.exitCode = await runOperator({ controllers: [cronTab] });
