export { type ManagerFlagsOptions, managerFlags, managerFlagsUsage } from './manager-flags.ts';
export { FlagError } from './parse-flags.ts';
