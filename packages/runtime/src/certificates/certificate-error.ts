/** Thrown when there is no usable certificate: files are missing or do not match, or the Secret belongs to another program. */
export class CertificateError extends Error {
  /** The message says what to fix. */
  readonly code = 'KW3030';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'CertificateError';
  }
}
