import { Buffer } from 'node:buffer';
import type { ApiResponse, NonResourceHandler } from '@kubewright/apiserver';
import type { ServiceAccountTokens } from './service-account-token.ts';

/**
 * Serves the public keys that verify service account tokens, and the discovery document that points to them (`OIDC` discovery,
 * 1.36).
 */
export function openIdHandler(options: {
  readonly tokens: ServiceAccountTokens;
  /** Returns the `host:port` that serves the keys. */
  readonly serverAddress: () => string;
}): NonResourceHandler {
  const { tokens, serverAddress } = options;
  return ({ info, request }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    switch (info.path) {
      case '/.well-known/openid-configuration':
        return documentResponse('application/json', {
          issuer: tokens.issuer,
          jwks_uri: `https://${serverAddress()}/openid/v1/jwks`,
          response_types_supported: ['id_token'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: tokens.algorithms,
        });
      case '/openid/v1/jwks':
        return documentResponse('application/jwk-set+json', tokens.keySet());
      default:
        return undefined;
    }
  };
}

function documentResponse(type: string, value: unknown): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' },
    body: Buffer.from(JSON.stringify(value)),
  };
}
