export { podEviction } from './pod-eviction.ts';
export { podStreams } from './pod-streams.ts';
