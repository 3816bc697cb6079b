import { runOperator } from '@kubewright/runtime';
import { serviceAccountRbac } from './service-account-rbac.ts';

const access = process.env['ACCESS'] === 'list-only' ? 'list-only' : 'full';

process.exitCode = await runOperator({ controllers: [serviceAccountRbac({ access })] });
