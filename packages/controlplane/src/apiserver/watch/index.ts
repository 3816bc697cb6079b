export type {
  WatchFilter,
  WatchItem,
  WatchPosition,
  WatchRepresentation,
  WatchRequest,
  WatchSource,
} from './watch-request.ts';
