import { Buffer } from 'node:buffer';
import type { Authenticator, UserInfo } from '../authentication/authenticator.ts';
import { decodeExtraKey } from '../authentication/extra-key.ts';
import type { ApiRequest } from '../http/api-request.ts';
import type { AuthenticationTrust } from './authentication-trust.ts';
import { SigningAuthority } from './signed-by.ts';

/**
 * Authenticates the caller of a request that an API server forwarded: the client certificate identifies the API server,
 * and the headers name the caller. Mirrors `headerrequest.NewDynamicVerifyOptionsSecure` (1.36).
 */
export class RequestHeaderAuthenticator implements Authenticator {
  readonly #trust: AuthenticationTrust;
  readonly #authority: SigningAuthority;

  constructor(trust: AuthenticationTrust) {
    this.#trust = trust;
    this.#authority = new SigningAuthority(trust.requestHeaderCa);
  }

  async authenticate(request: ApiRequest): Promise<UserInfo | undefined> {
    const { clientCertificate } = request.connection;
    if (clientCertificate === undefined || !this.#authority.hasSigned(clientCertificate)) return undefined;
    const { allowedNames } = this.#trust;
    if (allowedNames.length > 0 && !allowedNames.includes(clientCertificate.commonName)) return undefined;
    return readIdentity(request, this.#trust);
  }
}

/** Authenticates users by their own client certificates, signed by the cluster's client CA. */
export class UserCertificateAuthenticator implements Authenticator {
  readonly #authority: SigningAuthority;

  constructor({ clientCa }: Pick<AuthenticationTrust, 'clientCa'>) {
    this.#authority = new SigningAuthority(clientCa);
  }

  async authenticate({ connection }: ApiRequest): Promise<UserInfo | undefined> {
    const { clientCertificate: certificate } = connection;
    if (certificate === undefined || certificate.commonName === '') return undefined;
    if (!this.#authority.hasSigned(certificate)) return undefined;
    return { username: certificate.commonName, groups: certificate.organizations };
  }
}

/** Returns the caller that the headers name, or undefined. Each value is one group, even if it contains a comma. */
function readIdentity({ rawHeaders = [] }: ApiRequest, trust: AuthenticationTrust): UserInfo | undefined {
  const found = { username: '', uid: '', groups: [] as string[], extra: new Map<string, string[]>() };
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    const value = Buffer.from(rawHeaders[i + 1] ?? '', 'latin1').toString('utf8');
    if (trust.usernameHeaders.includes(name)) found.username ||= value;
    else if (trust.uidHeaders.includes(name)) found.uid ||= value;
    else if (trust.groupHeaders.includes(name) && value !== '') found.groups.push(value);
    const prefix = trust.extraHeaderPrefixes.find((each) => name.startsWith(each));
    if (prefix === undefined) continue;
    const key = decodeExtraKey(name.slice(prefix.length));
    const values = found.extra.get(key);
    if (values) values.push(value);
    else found.extra.set(key, [value]);
  }
  const { username, uid, groups, extra } = found;
  if (username === '') return undefined;
  return {
    username,
    groups,
    ...(uid !== '' && { uid }),
    ...(extra.size > 0 && { extra: Object.fromEntries(extra) }),
  };
}
