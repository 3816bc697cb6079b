import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Thrown if the text contains no CustomResourceDefinition, or the CRD lacks the requested version or would be rejected by
 * the API server.
 */
export class ImportError extends KubewrightError {
  override readonly name = 'ImportError';
  readonly code = 'KW6601';

  constructor(why: string, remedy: string, options?: ErrorOptions) {
    super({ what: 'cannot generate types from the CRD', why, remedy }, options);
  }
}
