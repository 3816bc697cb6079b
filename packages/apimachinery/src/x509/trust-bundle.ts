/** TLS options with the certificates used to verify a peer. */
export interface TrustBundleOptions {
  readonly ca: string;
  readonly allowPartialTrustChain: true;
}

/**
 * Returns the options of `node:tls` and `node:https` that trust a PEM bundle as Go does: each certificate in it is trusted,
 * even an intermediate authority without its root, or a server certificate without its issuer. OpenSSL by default requires a
 * chain that ends in a self-signed certificate.
 *
 * @example
 * connect({ host, port, ...trustBundle(caBundle) });
 */
export function trustBundle(pem: string): TrustBundleOptions {
  return { ca: pem, allowPartialTrustChain: true };
}
