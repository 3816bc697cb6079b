export { ApiServices } from './api-services.ts';
export { bootstrap, defaultServiceCidr } from './bootstrap.ts';
export { publishServer } from './kubernetes-service.ts';
export { type AuthenticationTrust, publishAuthentication } from './publish-authentication.ts';
export { publishTokenTracking } from './publish-token-tracking.ts';
