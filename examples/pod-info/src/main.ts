import { runOperator } from '@kubewright/runtime';
import { podAddresses, podInfo } from './pod-info.ts';

process.exitCode = await runOperator({ controllers: [podInfo, podAddresses] });
