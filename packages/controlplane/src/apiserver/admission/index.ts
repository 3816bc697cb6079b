export type { AdmissionAttributes, AdmissionPlugin } from './admission-plugin.ts';
export { defaultTolerationSeconds } from './default-toleration-seconds.ts';
export { namespaceLifecycle } from './namespace-lifecycle.ts';
export { type ObjectLocation, type ReadObject, storedObjectReader } from './object-reader.ts';
export { priorityAdmission } from './priority.ts';
export { rbacEscalationCheck } from './rbac-escalation.ts';
export { serviceAccountAdmission } from './service-account.ts';
export { taintNodesByCondition } from './taint-nodes.ts';
export { MutatingWebhooks, ValidatingWebhooks, WebhookMetrics, WebhookSource } from './webhooks/index.ts';
