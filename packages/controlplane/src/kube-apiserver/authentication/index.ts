export { authenticationReviews } from './authentication-reviews.ts';
export { issueLegacyToken, type LegacyToken, LegacyTokens } from './legacy-token.ts';
export { openIdHandler } from './open-id-handler.ts';
export { ServiceAccountAuthenticator } from './service-account-authenticator.ts';
export { ServiceAccountTokens } from './service-account-token.ts';
export { tokenRequest } from './token-request.ts';
