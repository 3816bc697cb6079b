import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if a bootstrap object cannot be created. The server cannot run without it. */
export class BootstrapError extends KubewrightError {
  override readonly name = 'BootstrapError';
  readonly code = 'KW5401';
}
