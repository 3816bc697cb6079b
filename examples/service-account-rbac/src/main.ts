import { runOperator } from '@kubewright/runtime';
import { serviceAccountRbac } from './service-account-rbac.ts';

process.exitCode = await runOperator({ controllers: [serviceAccountRbac] });
