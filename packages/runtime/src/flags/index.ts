export { FlagError } from './flag-error.ts';
export { type ManagerFlags, type ManagerFlagsOptions, managerFlags, managerFlagsUsage } from './manager-flags.ts';
