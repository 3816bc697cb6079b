/** Thrown when there is no certificate to serve with: files that are missing or do not fit, a Secret of somebody else. */
export class CertificateError extends Error {
  /** Names the class of failure; the message says what to mend. */
  readonly code = 'KW3030';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'CertificateError';
  }
}
