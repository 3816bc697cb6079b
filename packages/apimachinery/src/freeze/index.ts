export { deepFreeze } from './deep-freeze.ts';
