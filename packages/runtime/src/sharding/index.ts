export { ShardMembership, type ShardMembershipOptions } from './shard-membership.ts';
export { sharded } from './sharded.ts';
