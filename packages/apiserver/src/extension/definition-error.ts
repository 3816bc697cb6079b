import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown when a kind cannot be served with the given definitions. */
export class DefinitionError extends KubewrightError {
  override readonly name = 'DefinitionError';
  readonly code = 'KW5302';
}
