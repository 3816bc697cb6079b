import type { ApiRequest } from '../http/api-request.ts';
import type { Authenticator, UserInfo } from './authenticator.ts';

/**
 * Maps the common name of the verified client certificate to the user, and the certificate's organizations to groups
 * (k8s.io/apiserver `x509.CommonNameUserConversion`).
 *
 * @example
 * ```ts
 * const authenticators: readonly Authenticator[] = [certificateAuthenticator, new StaticTokenAuthenticator(tokens)];
 * ```
 */
export const certificateAuthenticator: Authenticator = {
  async authenticate(request: ApiRequest): Promise<UserInfo | undefined> {
    const certificate = request.connection.clientCertificate;
    if (certificate === undefined || certificate.commonName === '') return undefined;
    return { username: certificate.commonName, groups: certificate.organizations };
  },
};
