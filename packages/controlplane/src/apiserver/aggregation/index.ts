export { Aggregation } from './aggregation.ts';
export type { RemoteGroups, RemoteVersion } from './remote-groups.ts';
