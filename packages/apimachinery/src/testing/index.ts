export { stored } from './stored.ts';
