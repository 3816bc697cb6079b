export { nodeRestriction } from './node-restriction.ts';
