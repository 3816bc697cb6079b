export { bootstrap } from './bootstrap.ts';
