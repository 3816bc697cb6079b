export { type ApiGroup, type ApiGroupVersion, arrangeGroups } from './api-groups.ts';
export { discoveryHandler } from './discovery-handler.ts';
export { compareVersions } from './version-priority.ts';
