export { authenticationReviews } from './authentication-reviews.ts';
export type { Authenticator, UserInfo } from './authenticator.ts';
export { certificateAuthenticator } from './certificate-authenticator.ts';
export { openIdHandler } from './open-id-handler.ts';

export { ServiceAccountAuthenticator } from './service-account-authenticator.ts';
export { ServiceAccountTokens } from './service-account-token.ts';
export { StaticTokenAuthenticator } from './static-token-authenticator.ts';
export { tokenRequest } from './token-request.ts';
