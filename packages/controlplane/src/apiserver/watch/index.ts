export type { DecodeStored } from './change-frames.ts';
export { type PlainRepresentationOptions, plainRepresentation } from './plain-representation.ts';
export { REVISION_WAIT_MS, waitForRevision } from './wait-for-revision.ts';
export { expired, tooLargeResourceVersion } from './watch-failures.ts';
export { WatchHub, type WatchHubOptions } from './watch-hub.ts';
export { WatchHubs } from './watch-hubs.ts';
export type {
  WatchFilter,
  WatchItem,
  WatchPosition,
  WatchRepresentation,
  WatchRequest,
  WatchSource,
} from './watch-request.ts';
