export { ApiServices } from './api-services.ts';
export { asServer } from './as-server.ts';
export { bootstrap } from './bootstrap.ts';
export { publishServer } from './kubernetes-service.ts';
export { type AuthenticationTrust, publishAuthentication } from './publish-authentication.ts';
