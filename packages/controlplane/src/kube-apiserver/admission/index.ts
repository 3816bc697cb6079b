export { defaultTolerationSeconds } from './default-toleration-seconds.ts';
export { nodeRestriction } from './node-restriction/index.ts';
export { priorityAdmission } from './priority.ts';
export { rbacEscalationCheck } from './rbac-escalation.ts';
export { serviceAccountAdmission } from './service-account.ts';
export { taintNodesByCondition } from './taint-nodes.ts';
