export { openApiHandler } from './open-api-handler.ts';
