import { X509Certificate } from 'node:crypto';
import type { ClientCertificate } from '../http/api-request.ts';

const pemBlocks = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Decides which CA signed a client certificate. A server needs this if it trusts several CAs: one for users, and one for the API
 * server that forwards requests. TLS has verified the certificate's validity and purpose.
 */
export class SigningAuthority {
  readonly #authorities: readonly X509Certificate[];
  /** A certificate is parsed once per connection. */
  readonly #known = new WeakMap<ClientCertificate, boolean>();

  /** @param pem - zero or more certificates; if empty, no certificate counts as signed. */
  constructor(pem: string) {
    this.#authorities = (pem.match(pemBlocks) ?? []).map((block) => new X509Certificate(block));
  }

  /** Reports whether the CA itself signed the certificate. */
  hasSigned(certificate: ClientCertificate): boolean {
    let known = this.#known.get(certificate);
    if (known === undefined) {
      known = this.#check(certificate);
      this.#known.set(certificate, known);
    }
    return known;
  }

  #check({ der }: ClientCertificate): boolean {
    if (der === undefined || this.#authorities.length === 0) return false;
    const certificate = new X509Certificate(der);
    return this.#authorities.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
  }
}
