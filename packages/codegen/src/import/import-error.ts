import { KubewrightError } from '@kubewright/apimachinery';

/** The text contains no CustomResourceDefinition, not the requested version, or one that the API server would reject. */
export class ImportError extends KubewrightError {
  override readonly name = 'ImportError';
  readonly code = 'KW6601';

  constructor(why: string, remedy: string, options?: ErrorOptions) {
    super({ what: 'cannot generate types for this CRD', why, remedy }, options);
  }
}
