export { admissionPlugins } from './admission-plugins.ts';
export type { PodSecurityOptions } from './pod-security/index.ts';
export { resourceQuotaAdmission } from './resource-quota/resource-quota.ts';
