/**
 * The cryptography that {@link issueCertificate} needs. This package does not import Node's modules, so the caller
 * passes the functions in. Node's `crypto` module can be passed unchanged.
 *
 * @example
 * ```ts
 * import * as crypto from 'node:crypto';
 * issueCertificate(request, crypto);
 * ```
 */
export interface CertificateCrypto {
  generateKeyPairSync(
    type: 'ec',
    options: {
      namedCurve: string;
      publicKeyEncoding: { type: 'spki'; format: 'pem' };
      privateKeyEncoding: { type: 'pkcs8'; format: 'pem' };
    },
  ): { readonly publicKey: string; readonly privateKey: string };
  /** Reads a public key, or the public half of a private key. */
  createPublicKey(pem: string): { export(options: { type: 'spki'; format: 'der' }): Uint8Array };
  createHash(algorithm: 'sha256'): { update(bytes: Uint8Array): { digest(): Uint8Array } };
  sign(algorithm: 'sha256', bytes: Uint8Array, privateKeyPem: string): Uint8Array;
  randomBytes(size: number): Uint8Array;
}
