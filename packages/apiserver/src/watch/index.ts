export type { DecodeStored } from './change-frames.ts';
export type { PlainRepresentationOptions } from './plain-representation.ts';
export { UnreadLimit } from './unread-limit.ts';
export { waitForRevision } from './wait-for-revision.ts';
export { tooLargeResourceVersion } from './watch-failures.ts';
export { frame } from './watch-frame.ts';
export type { WatchHubOptions } from './watch-hub.ts';
export { WatchHubs } from './watch-hubs.ts';
export type {
  WatchFilter,
  WatchItem,
  WatchPosition,
  WatchRepresentation,
  WatchRequest,
  WatchSource,
} from './watch-request.ts';
