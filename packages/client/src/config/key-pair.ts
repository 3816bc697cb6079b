/** A client certificate and its private key, PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** True if the key belongs to the certificate; undefined if either is not PEM. Only the first certificate counts. */
export async function isPair({ cert, key }: KeyPair): Promise<boolean | undefined> {
  const { X509Certificate, createPrivateKey } = await import('node:crypto');
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    // Truncated in the middle of a write, or not PEM at all.
    return undefined;
  }
}
