export { type PodSecurityOptions, podSecurityAdmission } from './pod-security.ts';
