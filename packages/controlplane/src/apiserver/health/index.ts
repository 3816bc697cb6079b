export { type HealthCheck, healthHandler } from './health-handler.ts';
export { versionHandler } from './version-handler.ts';
