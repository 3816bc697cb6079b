export type { ApiGroup, ApiGroupVersion } from './api-groups.ts';
export { discoveryHandler } from './discovery-handler.ts';
export { rootHandler } from './root-handler.ts';
export { compareVersions } from './version-priority.ts';
