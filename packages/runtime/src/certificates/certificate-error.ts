import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown when there is no usable certificate: files are missing or do not match, or the Secret belongs to another program. */
export class CertificateError extends KubewrightError {
  override readonly name = 'CertificateError';
  /** The message says what to fix. */
  readonly code = 'KW3030';
}
