import { runOperator } from '@kubewright/runtime';
import { redis } from './redis.ts';

process.exitCode = await runOperator({ controllers: [redis] });
